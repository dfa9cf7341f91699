import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { base64Decode } from '../encoding.ts'
import { readReceiptLine, receiptLine } from './ledger-lines.ts'

const text = readFileSync(new URL('../../../../vectors/ledger.jsonl', import.meta.url), 'utf8')
const line = text.split('\n')[1] as string

/** The whole line as one pattern: the rule that the reader follows piece by piece. */
const WHOLE =
  /^\{"i":(0|[1-9][0-9]{0,15}),"k":(null|"[0-9a-f]{64}"),"l":"[0-9a-f]{64}","p":"([A-Za-z0-9+/=]+)","s":(null|"[A-Za-z0-9+/=]{1,128}")\}$/

function isReceiptLine(given: string): boolean {
  const [, index, key, payload, signature] = WHOLE.exec(given) ?? []
  if (payload === undefined || !Number.isSafeInteger(Number(index))) return false
  const isSigned = signature !== 'null'
  const decodes = base64Decode(payload) !== null && (!isSigned || base64Decode(signature!.slice(1, -1)) !== null)
  return decodes && isSigned === (key !== 'null')
}

function agree(given: string): void {
  const read = readReceiptLine(given)
  assert.equal(read !== null, isReceiptLine(given), given)
  if (read) assert.equal(receiptLine(read), given, 'one spelling')
}

test('a receipt line is read and written in its one spelling, signed or not', () => {
  assert.ok(readReceiptLine(line))
  agree(line)
  agree(line.replace(/"k":"[^"]+"/, '"k":null').replace(/"s":"[^"]+"/, '"s":null'))
})

test('every character changed, left out or doubled gives a line only where the pattern does', () => {
  for (let at = 0; at < line.length; at += 1) {
    for (const other of ['0', 'A', '=', '"', ' ', '\n', 'ÿ']) agree(`${line.slice(0, at)}${other}${line.slice(at + 1)}`)
    agree(line.slice(0, at) + line.slice(at + 1))
    agree(line.slice(0, at + 1) + line.slice(at))
  }
})

test('a key without a signature, an empty payload and a number that is not safe are no receipt lines', () => {
  for (const given of [
    line.replace(/"k":"[^"]+"/, '"k":null'),
    line.replace(/"s":"[^"]+"/, '"s":null'),
    line.replace(/"s":"[^"]+"/, '"s":""'),
    line.replace(/"s":.*$/, '"s":"}'),
    line.replace(/"s":"[^"]+"/, `"s":"${'A'.repeat(132)}"`),
    line.replace(/"p":"[^"]+"/, '"p":""'),
    line.replace(/"i":\d+/, '"i":9999999999999999'),
    line.replace('}', '}}'),
    `${line}\n`,
    '',
  ]) {
    agree(given)
    assert.equal(readReceiptLine(given), null, given)
  }
})
