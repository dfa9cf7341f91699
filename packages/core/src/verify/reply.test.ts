import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Case, type KeysFile, trustOf } from '../../../../vectors/cases.ts'
import { headline } from './headline.ts'
import { verifyAny } from './recognise.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'))
const keys: KeysFile = read('keys.json')
const cases: Case[] = read('cases.json')
const caseOf = (name: string): Case => cases.find((one) => one.name === name)!

const whole = caseOf('a reply that carries its evidence')
const trust = trustOf(keys, whole)
const text = JSON.stringify(whole.input)

test('one changed byte anywhere in a reply contradicts it', async () => {
  const bytes = new TextEncoder().encode(text)
  // A signature of the checkpoint under another name or key is somebody else's, which accuses nobody.
  const signature = text.indexOf('\\n\\n', text.indexOf('"checkpoint"'))
  for (let at = 0; at < bytes.length; at += 1)
    for (const flip of [1, 0x80]) {
      const { verdict } = await verifyAny(bytes.with(at, bytes[at]! ^ flip), trust)
      const wanted = at > signature && verdict === 'PARTIAL' ? 'PARTIAL' : 'FAIL'
      assert.equal(verdict, wanted, `byte ${at} of ${text.slice(at - 20, at + 20)}`)
    }
})

test('a reply under its production keys says in one sentence that everything holds', async () => {
  const report = await verifyAny(text, trust)
  assert.equal(report.verdict, 'PASS')
  assert.match(headline(report), /^everything holds: the answer, its receipt/)
  assert.deepEqual((report.subject as unknown as { decoded: { reasons: unknown } }).decoded.reasons, [
    { code: 'THREAT_SIGNATURE', words: 'A rule of the threat scan matched; the findings name it.' },
  ])
})

test('where only the key is a demo key the headline says so', async () => {
  const demo = caseOf('a demo receipt, the key pinned as production')
  const report = await verifyAny(demo.input, trustOf(keys, demo))
  assert.equal(headline(report), 'everything holds; the key is a demo key')
})

test('every case has a headline of one line, and "pinned" is said of pinned keys alone', async () => {
  for (const one of cases) {
    const given = { ...trustOf(keys, one) }
    const supplied = { ...given, keys: given.keys.map((key) => ({ ...key, kind: 'caller-supplied' as const })) }
    const report = await verifyAny(one.text ?? one.input, supplied)
    assert.match(headline(report), /^[^\n]{10,400}$/, one.name)
    assert.doesNotMatch(
      JSON.stringify([headline(report), report.checks.map(({ reason }) => reason)]),
      /pinned/,
      one.name,
    )
  }
})

test('a caller’s object in a minted receipt is not shown as a decision', async () => {
  const minted = cases.find(({ name }) => name === 'a record alone')!
  const body = JSON.parse(atob((minted.input as { dsse: { payload: string } }).dsse.payload))
  const posing = {
    ...body,
    kind: 'mint',
    payload: { ...body.payload, decision: 'ALLOW', reasons: ['ALL_STAGES_PASSED'] },
  }
  const { decoded } = (await verifyAny(posing, trust)).subject as { decoded?: { outcome: unknown } } & object
  assert.equal(decoded?.outcome, null)
})
