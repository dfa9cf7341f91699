import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Case, KeysFile } from '../../../vectors/cases.ts'
import { inputOf, trustOf } from '../../../vectors/cases.ts'
import type { Envelope } from './dsse.ts'
import type { ReceiptBody } from './receipt.ts'
import * as schemas from './schemas.ts'
import type { InclusionRecord } from './verify/inclusion.ts'
import { verifyAny } from './verify/recognise.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../vectors/${name}`, import.meta.url), 'utf8'))
const golden = read('golden.json')
const fits = (schema: TSchema, value: unknown): boolean => Compile(schema).Check(value)
const { receipt_id, digest, chain, seq, prev, node_index, signed, keyid, key_kind, label, verify_url } = golden.record

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never
type EnvelopeOf<Schema extends Envelope> = Pick<Schema, keyof Envelope>

test('the types of this package, which need no typebox, are those of its schemas', () => {
  // The compiler says it: one that differs takes no `true`.
  const body: Same<Static<typeof schemas.ReceiptBody>, ReceiptBody> = true
  const envelope: Same<EnvelopeOf<Static<typeof schemas.DsseEnvelope>>, Envelope> = true
  const inclusion: Same<Static<typeof schemas.InclusionProof>, InclusionRecord> = true
  assert.deepEqual([body, envelope, inclusion], [true, true, true])
})

const examples: [TSchema, unknown][] = [
  [schemas.ReceiptBody, JSON.parse(golden.chain[0].body_text)],
  [schemas.DsseEnvelope, golden.chain[0].envelope],
  [schemas.DsseEnvelope, golden.export.dsse],
  [schemas.DsseEnvelope, golden.statement_record.envelope],
  [schemas.InclusionProof, golden.chain[0].inclusion],
  [schemas.ExportRecord, golden.export],
  [schemas.EvidencePackEnvelope, golden.pack],
  [schemas.Statement, golden.statement_record.statement],
  [
    schemas.ReceiptSummary,
    {
      receipt_id,
      digest,
      chain,
      seq,
      prev,
      node_index,
      signed,
      keyid,
      key_kind,
      signature_state: 'SIGNED',
      label,
      verify_url,
    },
  ],
]

test('the golden vectors fit their schemas, and none does with a field too many or too few', () => {
  for (const [schema, value] of examples) {
    const fields = value as Record<string, unknown>
    assert.ok(fits(schema, fields), JSON.stringify([...Compile(schema).Errors(fields)]))
    assert.equal(fits(schema, { ...fields, added: 1 }), false)
    const [first] = (schema as TSchema & { required: string[] }).required
    const { [first!]: _, ...rest } = fields
    assert.equal(fits(schema, rest), false)
  }
})

test('every report on every vector fits the schema of reports', async () => {
  const keys = read('keys.json') as KeysFile
  const report = Compile(schemas.VerificationReport)
  for (const one of read('cases.json') as Case[])
    assert.ok(report.Check(await verifyAny(inputOf(one), trustOf(keys, one))), one.name)
})

test('each schema is named as the API description will name it', () => {
  const named = Object.entries(schemas).filter(([, schema]) => '$id' in schema)
  assert.deepEqual(named.map(([name]) => name).sort(), [
    'Check',
    'DsseEnvelope',
    'EvidencePackEnvelope',
    'ExportRecord',
    'InclusionProof',
    'ReceiptBody',
    'ReceiptSummary',
    'Statement',
    'VerificationReport',
  ])
  for (const [name, schema] of named) assert.equal('$id' in schema && schema.$id, name)
})
