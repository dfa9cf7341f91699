import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import { PROBLEM_TYPES } from './rules/problems.ts'

const vectors = new URL('../../../../../../shared/vectors/json/test_parsing_base64.json', import.meta.url)
const { url } = await startApp({ after }, { ORCH_STORE: 'memory' })
const JSON_FAULTS = new Set(['json_invalid', 'json_duplicate_key', 'encoding_invalid'])
/** Two readers of one signed body must not see two values, so these are refused although the grammar allows them. */
const EQUAL_KEYS = new Set(['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json'])

const cases = (): [string, Buffer][] =>
  Object.entries(JSON.parse(readFileSync(vectors, 'utf8')) as Record<string, string>).map(([name, text]) => [
    name,
    Buffer.from(text, 'base64'),
  ])

for (const operation of ['atomize', 'evaluate'])
  test(`${operation} reads the JSON that must be read and refuses the JSON that must be refused, each by its word`, async (t) => {
    if (!existsSync(vectors)) return t.skip('SKIPPED: ../shared absent')
    const found = cases()
    assert.ok(found.length > 300)
    for (const [name, bytes] of found) {
      const { status, json } = await post(`${url}/api/orch/v1/claim-integrity/${operation}`, bytes)
      if (bytes.length > 65_536) {
        assert.equal(status, 413, name)
        continue
      }
      // None of them is a request of ours, so all are 422; the word tells whether the text or the contract was at fault.
      assert.equal(status, 422, name)
      const [{ type }] = json.detail
      assert.ok(PROBLEM_TYPES.includes(type), name)
      if (name.startsWith('y_')) assert.equal(JSON_FAULTS.has(type), EQUAL_KEYS.has(name), name)
      if (name.startsWith('n_')) assert.ok(JSON_FAULTS.has(type), name)
    }
  })
