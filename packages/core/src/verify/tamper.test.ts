import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Case, KeysFile } from '../../../../vectors/cases.ts'
import { base64Decode, base64Encode } from '../encoding.ts'
import { verifyAny, verifyExport, verifyPack, verifyReceipt, verifyStatement } from '../index.ts'
import { importPublicKey } from '../p256.ts'
import { headline } from './headline.ts'
import type { VerificationReport } from './report.ts'
import type { Fields } from './shape.ts'
import { isRecord } from './shape.ts'
import type { Trust } from './trust.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'))
const keys = read('keys.json') as KeysFile
const golden = read('golden.json')
const cases = read('cases.json') as Case[]
const trust: Trust = {
  keys: [{ key: importPublicKey(keys.p256.production!.pem)!, kind: 'production' }],
  logKeys: [keys.ed25519.log!.vkey],
}
const envelope = golden.chain[2].envelope

/** Good means what a command line would answer 0 to. */
const isGood = ({ verdict }: VerificationReport): boolean => verdict === 'PASS' || verdict === 'PARTIAL'

test('the golden envelope, record, export, pack and statement are good before anybody touches them', async () => {
  for (const value of [envelope, golden.record, golden.export, golden.pack, golden.statement_envelope])
    assert.ok(isGood(await verifyAny(structuredClone(value), trust)))
})

/** Each byte of the signed payload and of the signature, with each a single bit and all bits inverted. */
async function flipsOf(signed: Fields, verify: (value: unknown) => Promise<VerificationReport>): Promise<number> {
  let tried = 0
  const payload = base64Decode(signed.payload as string)!
  const [{ sig, keyid }] = signed.signatures as [{ sig: string; keyid: string }]
  const der = base64Decode(sig)!
  for (const mask of [1, 0x80, 0xff]) {
    for (const at of payload.keys()) {
      const altered = { ...signed, payload: base64Encode(payload.with(at, payload[at]! ^ mask)) }
      assert.equal((await verify(altered)).verdict, 'FAIL', `payload byte ${at}`)
      tried += 1
    }
    for (const at of der.keys()) {
      const altered = { ...signed, signatures: [{ sig: base64Encode(der.with(at, der[at]! ^ mask)), keyid }] }
      assert.equal((await verify(altered)).verdict, 'FAIL', `signature byte ${at}`)
      tried += 1
    }
  }
  return tried
}

test('flipping any byte of a signed receipt is found', async (t) => {
  t.diagnostic(`${await flipsOf(envelope, (value) => verifyReceipt(value, trust))} flips`)
})

test('flipping any byte of a signed statement is found', async (t) => {
  t.diagnostic(`${await flipsOf(golden.statement_envelope, (value) => verifyStatement(value, trust))} flips`)
})

test('flipping any byte of the signature of a pack is found', async (t) => {
  const verify = (dsse: unknown) => verifyPack({ ...golden.pack, signature: { ...golden.pack.signature, dsse } }, trust)
  t.diagnostic(`${await flipsOf(golden.pack.signature.dsse, verify)} flips`)
})

/** Every byte of the file itself: what is no longer JSON must be told so, what still is must not pass. */
async function textFlips(value: unknown, step: number): Promise<number> {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  let tried = 0
  for (let at = 0; at < bytes.length; at += step) {
    const report = await verifyAny(bytes.with(at, bytes[at]! ^ 1), trust)
    assert.ok(
      !isGood(report),
      `byte ${at}: ${report.verdict} after …${new TextDecoder().decode(bytes.slice(Math.max(0, at - 40), at + 1))}`,
    )
    tried += 1
  }
  return tried
}

test('flipping any byte of the file of a signed receipt never passes', async () => {
  assert.ok((await textFlips(envelope, 1)) > 1_000)
})

test('flipping any byte of the file of a signed pack never passes', async () => {
  const small = cases.find(({ name }) => name === 'a signed pack without receipts')!
  assert.ok((await textFlips(small.input, 1)) > 2_000)
  assert.ok((await textFlips(golden.pack, 29)) > 200)
})

test('flipping any byte of the file of a signed statement never passes', async () => {
  assert.ok((await textFlips(golden.statement_envelope, 1)) > 500)
})

/** Every object in a value, with the path to it. */
function* objectsIn(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (isRecord(value)) yield path
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, [...path, name])
}

function at(value: unknown, path: readonly (string | number)[]): Fields {
  return path.reduce((inner, name) => (inner as Fields)[name], value) as Fields
}

function* droppedAndAdded(value: unknown): Generator<[string, unknown]> {
  for (const path of objectsIn(value)) {
    for (const name of Object.keys(at(value, path))) {
      const copy = structuredClone(value)
      delete at(copy, path)[name]
      yield [`dropped ${[...path, name].join('.')}`, copy]
    }
    const copy = structuredClone(value)
    at(copy, path).added = true
    yield [`added to ${path.join('.') || 'the whole'}`, copy]
  }
}

async function fieldsOf(value: unknown): Promise<number> {
  let tried = 0
  for (const [what, altered] of droppedAndAdded(value)) {
    const report = await verifyAny(altered, trust)
    assert.ok(!isGood(report), `${what}: ${report.verdict}`)
    tried += 1
  }
  return tried
}

test('dropping or adding any field of a signed receipt, pack or statement never passes', async (t) => {
  const counts = [await fieldsOf(envelope), await fieldsOf(golden.pack), await fieldsOf(golden.statement_envelope)]
  t.diagnostic(`${counts.join(' + ')} alterations`)
})

test('dropping or adding any field of the signed body, signed by somebody else or not at all, never passes', async () => {
  const body = JSON.parse(golden.chain[2].body_text)
  for (const [what, altered] of droppedAndAdded(body)) {
    const payload = base64Encode(new TextEncoder().encode(JSON.stringify(altered)))
    assert.equal((await verifyReceipt({ ...envelope, payload }, trust)).verdict, 'FAIL', what)
    assert.ok(!isGood(await verifyReceipt({ ...envelope, payload, signatures: [] }, trust)), what)
  }
})

test('what a record or an export says beside its envelope is either held to the bytes or listed as not covered', async () => {
  for (const [value, verify] of [
    [golden.record, verifyReceipt],
    [golden.export, verifyExport],
  ] as const) {
    assert.ok(isGood(await verify(value, trust)))
    for (const name of Object.keys(value)) {
      const altered = { ...value, [name]: alteredValue(value[name]) }
      const report = await verify(altered, trust)
      const uncovered = (report.checks[0]!.details.not_covered ?? []) as string[]
      assert.equal(isGood(report), uncovered.includes(name), `${name}: ${report.verdict}`)
    }
    assert.ok(!isGood(await verify({ ...value, added: true }, trust)))
  }
})

test('an export says once what became of the signature, and its words are never part of what holds', async () => {
  const { export: honest } = golden
  const { verification, ledger } = honest
  const judged = async (changed: object) => verifyExport({ ...honest, ...changed }, trust)
  for (const changed of [
    { verification: { ...verification, verified: false } },
    { verification: { ...verification, state: 'UNAVAILABLE' } },
    { verification: { ...verification, state: 'MISMATCH', verified: false } },
    { export_state: 'SIGNATURE_INVALID' },
  ])
    assert.equal((await judged(changed)).verdict, 'FAIL', JSON.stringify(changed))
  const integrity = { ...ledger.integrity, verified: false }
  for (const changed of [
    {},
    { ledger: { ...ledger, integrity, production_ready: true } },
    { limits: [{ code: 'X' }] },
  ]) {
    const report = await judged(changed)
    assert.match(report.checks[0]!.reason, /; nothing covers the sender’s words: ok, .*ledger, .*limits/)
    assert.match(headline(report), /; what it says of its ledger and of its own limits is not covered$/)
  }
})

function alteredValue(value: unknown): unknown {
  if (typeof value === 'string') return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return { altered: true }
}

test('no JSON value makes a verifier throw or pass', async () => {
  const shapes = [
    envelope,
    golden.record,
    golden.export,
    golden.pack,
    golden.statement_envelope,
    golden.statement_record,
  ]
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record({
      schema: fc.constantFrom(...shapes.map((one) => one.schema ?? 'x')),
      pack: fc.jsonValue(),
      signature: fc.jsonValue(),
    }),
    fc
      .tuple(fc.constantFrom(...shapes), fc.string(), fc.jsonValue())
      .map(([shape, name, value]) => ({ ...shape, [name]: value })),
    fc.tuple(fc.constantFrom(...shapes), fc.nat(20), fc.jsonValue()).map(([shape, n, value]) => {
      const names = Object.keys(shape)
      return { ...shape, [names[n % names.length]!]: value }
    }),
  )
  await fc.assert(
    fc.asyncProperty(anything, async (value) => {
      for (const verify of [verifyAny, verifyReceipt, verifyExport, verifyPack, verifyStatement]) {
        const report = await verify(value, { keys: [] })
        assert.ok(!isGood(report))
        assert.equal(report.checks.length, 6)
      }
    }),
    { seed: 4, numRuns: 400 },
  )
})

test('no text makes the verifier of files throw or pass', async () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constant('{"checkpoint":null,"keys":[],"origin":"x","root":"","schema":"orch.ledger-export/v1","size":0}'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 4 }), async (lines) => {
      assert.ok(!isGood(await verifyAny(lines.join('\n'), trust)))
    }),
    { seed: 5, numRuns: 300 },
  )
})
