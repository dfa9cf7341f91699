import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonErrorCode } from './json.ts'
import { JsonError, parseStrictJson } from './json.ts'

type Decision = 'accept' | JsonErrorCode

/** What RFC 8259 leaves open, decided; docs/formats/json-input.md gives the reasons. */
const OPEN_CASES: Record<string, Decision> = {
  i_number_double_huge_neg_exp: 'accept',
  i_number_huge_exp: 'number_range',
  i_number_neg_int_huge_exp: 'number_range',
  i_number_pos_double_huge_exp: 'number_range',
  i_number_real_neg_overflow: 'number_range',
  i_number_real_pos_overflow: 'number_range',
  i_number_real_underflow: 'accept',
  i_number_too_big_neg_int: 'accept',
  i_number_too_big_pos_int: 'accept',
  i_number_very_big_negative_int: 'accept',
  i_object_key_lone_2nd_surrogate: 'lone_surrogate',
  i_string_1st_surrogate_but_2nd_missing: 'lone_surrogate',
  i_string_1st_valid_surrogate_2nd_invalid: 'lone_surrogate',
  'i_string_UTF-16LE_with_BOM': 'invalid_utf8',
  'i_string_UTF-8_invalid_sequence': 'invalid_utf8',
  'i_string_UTF8_surrogate_U+D800': 'invalid_utf8',
  i_string_incomplete_surrogate_and_escape_valid: 'lone_surrogate',
  i_string_incomplete_surrogate_pair: 'lone_surrogate',
  i_string_incomplete_surrogates_escape_valid: 'lone_surrogate',
  i_string_invalid_lonely_surrogate: 'lone_surrogate',
  i_string_invalid_surrogate: 'lone_surrogate',
  'i_string_invalid_utf-8': 'invalid_utf8',
  'i_string_inverted_surrogates_U+1D11E': 'lone_surrogate',
  i_string_iso_latin_1: 'invalid_utf8',
  i_string_lone_second_surrogate: 'lone_surrogate',
  i_string_lone_utf8_continuation_byte: 'invalid_utf8',
  i_string_not_in_unicode_range: 'invalid_utf8',
  i_string_overlong_sequence_2_bytes: 'invalid_utf8',
  i_string_overlong_sequence_6_bytes: 'invalid_utf8',
  i_string_overlong_sequence_6_bytes_null: 'invalid_utf8',
  'i_string_truncated-utf-8': 'invalid_utf8',
  i_string_utf16BE_no_BOM: 'invalid_utf8',
  i_string_utf16LE_no_BOM: 'invalid_utf8',
  i_structure_500_nested_arrays: 'depth',
  'i_structure_UTF-8_BOM_empty_object': 'syntax',
}

/** The RFC accepts these, we do not: two equal keys under one signature are two readings of it. */
const REFUSED_ON_PURPOSE: Record<string, Decision> = {
  y_object_duplicated_key: 'duplicate_key',
  y_object_duplicated_key_and_value: 'duplicate_key',
}

const vectors = new URL('../../../../shared/vectors/json/test_parsing_base64.json', import.meta.url)
const page = new URL('../../../docs/formats/json-input.md', import.meta.url)

function cases(prefix: string): [string, Uint8Array][] {
  const all: Record<string, string> = JSON.parse(readFileSync(vectors, 'utf8'))
  return Object.entries(all)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, text]) => [name.replace(/\.json$/, ''), new Uint8Array(Buffer.from(text, 'base64'))])
}

function decide(bytes: Uint8Array): Decision {
  try {
    parseStrictJson(bytes)
    return 'accept'
  } catch (error) {
    assert.ok(error instanceof JsonError)
    return error.code
  }
}

test('every case that must be accepted is, save equal keys', (t) => {
  if (!existsSync(vectors)) return t.skip('SKIPPED: ../shared absent')
  const found = cases('y_')
  assert.equal(found.length, 95)
  for (const [name, bytes] of found) {
    assert.equal(decide(bytes), REFUSED_ON_PURPOSE[name] ?? 'accept', name)
    if (name in REFUSED_ON_PURPOSE) continue
    // Written once more, -0 is 0.
    const printed = JSON.stringify(JSON.parse(Buffer.from(bytes).toString()))
    assert.deepEqual(parseStrictJson(bytes), JSON.parse(printed), name)
  }
})

test('every case that must be refused is', (t) => {
  if (!existsSync(vectors)) return t.skip('SKIPPED: ../shared absent')
  const found = cases('n_')
  assert.equal(found.length, 187)
  for (const [name, bytes] of found) assert.notEqual(decide(bytes), 'accept', name)
})

test('every case the RFC leaves open is decided as written down', (t) => {
  if (!existsSync(vectors)) return t.skip('SKIPPED: ../shared absent')
  const decided = Object.fromEntries(cases('i_').map(([name, bytes]) => [name, decide(bytes)]))
  assert.deepEqual(decided, OPEN_CASES)
})

test('the documentation lists exactly these cases and decisions', () => {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `(i_[^`]+)` \| (?:(accept)|refuse: `(\w+)`) \| .+ \|$/gm)
  const documented = [...rows].map(([, name, accept, code]) => [name, accept ?? code])
  assert.equal(documented.length, Object.keys(OPEN_CASES).length)
  assert.deepEqual(Object.fromEntries(documented), OPEN_CASES)
})
