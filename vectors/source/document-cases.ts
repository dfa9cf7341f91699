// Packs and statements, and what an attacker may do to them.
import { packDigest, sha256Hex } from '../../packages/core/src/index.ts'
import type { Case } from '../cases.ts'
import { makeCase, anonymous, pinned, withDemo } from './case.ts'
import { packOf, type Pack, signedPack, signedStatement, statement, statementRecord, unsignedPack } from './documents.ts'
import { demo, unpinned } from './keys.ts'
import { drafts, envelopeOf, place, recordOf } from './ledger.ts'

const pack = await packOf([0, 2, 4])
export const goldenPack = signedPack(pack)
const digest = packDigest(pack)!
const small = { ...(await packOf([])), receipts: [] }
const withReceipts = (receipts: unknown[]): Pack => ({ ...pack, receipts: receipts as Pack['receipts'] })

// A second receipt for a place that is taken: the same key signed two histories.
const forked = place(drafts.with(2, { ...drafts[2]!, payload: { ...drafts[2]!.payload, decision: 'ALLOW' } }))[2]!
const { inclusion: _, node_index: __, checkpoint: ___, ...bare } = await recordOf(2)
const fork = { ...bare, receipt_id: forked.digest, digest: forked.digest, verify_url: `/api/orch/v1/verify/receipt/${forked.digest}`, dsse: envelopeOf(forked.body) }
const altered = { ...pack.receipts[1]!, dsse: { ...pack.receipts[1]!.dsse, payload: fork.dsse.payload } }

export const packCases: Case[] = [
  makeCase('a signed pack with receipts', { input: goldenPack }, pinned, 'pack', 'PARTIAL VVVUVV', { digest }),
  makeCase('a signed pack without receipts', { input: signedPack(small) }, pinned, 'pack', 'PARTIAL VVVUUV'),
  makeCase('an unsigned pack', { input: unsignedPack(small) }, pinned, 'pack', 'INCONCLUSIVE VNVUUU', { check: 'signature', reason: 'not signed' }),
  makeCase('a signed pack and no keys', { input: goldenPack }, anonymous, 'pack', 'INCONCLUSIVE VUVUUU', { check: 'signature', reason: 'no key was given' }),
  makeCase('a pack by a demo key', { input: signedPack(small, demo, 'demo') }, withDemo, 'pack', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'demo key' }),
  makeCase('a pack by a demo key that is called production', { input: signedPack(small, demo) }, withDemo, 'pack', 'FAIL VVVUUM', { check: 'key_trust', reason: 'called production' }),
  makeCase('a pack by a stranger', { input: signedPack(small, unpinned) }, pinned, 'pack', 'INCONCLUSIVE VUVUUU', { check: 'signature', reason: 'not among' }),
  makeCase('a pack altered after its digest', { input: { ...goldenPack, pack: { ...pack, what: 'something better' } } }, pinned, 'pack', 'FAIL VVMUVV', { check: 'payload_digest', reason: 'pack_sha3_256' }),
  makeCase('a pack altered and hashed again', { input: { ...signedPack({ ...small, what: 'something better' }), signature: signedPack(small).signature } }, pinned, 'pack', 'FAIL VVMUUV', { check: 'payload_digest', reason: 'names another pack' }),
  makeCase('a pack under another statement', { input: signedPack(small, undefined, undefined, sha256Hex('another')) }, pinned, 'pack', 'FAIL VVMUUV', { check: 'payload_digest', reason: 'names another pack' }),
  makeCase('a pack with reworded instructions', { input: { ...goldenPack, offline_verify: 'trust us' } }, pinned, 'pack', 'FAIL MVVUVV', { check: 'structure', reason: 'reworded' }),
  makeCase('a pack that names another digest algorithm', { input: { ...goldenPack, digest_alg: 'md5' } }, pinned, 'pack', 'FAIL MVVUVV', { check: 'structure', reason: 'digest_alg' }),
  makeCase('a pack with a further field', { input: { ...goldenPack, approved: true } }, pinned, 'pack', 'FAIL MVVUVV', { check: 'structure', reason: 'not a field' }),
  makeCase('a pack that states another time', { input: { ...goldenPack, generated_at: '2027-01-01T00:00:00.000Z' } }, pinned, 'pack', 'FAIL MVVUVV', { check: 'structure', reason: 'different times' }),
  makeCase('a signed pack that shows a fork', { input: signedPack(withReceipts([...pack.receipts, fork])) }, pinned, 'pack', 'FAIL VVVMUV', { check: 'hash_chain', reason: 'taken twice' }),
  makeCase('a signed pack with an altered receipt', { input: signedPack(withReceipts([altered])) }, pinned, 'pack', 'FAIL VMMUMU', { check: 'signature', reason: 'does not verify' }),
  makeCase('a signed pack with something else among its receipts', { input: signedPack(withReceipts([1])) }, pinned, 'pack', 'FAIL MUUUUU', { check: 'structure', reason: 'no receipt' }),
]

const signed = signedStatement()
const statementDigest = statementRecord.statement_digest_sha256
const change = (predicate: object) => ({ ...statement, predicate: { ...statement.predicate, ...predicate } })

export const statementCases: Case[] = [
  makeCase('a signed statement', { input: signed }, pinned, 'statement', 'PARTIAL VVVUUV', { digest: statementDigest }),
  makeCase('a statement and its envelope', { input: { statement, envelope: signed } }, pinned, 'statement', 'PARTIAL VVVUUV', { digest: statementDigest }),
  makeCase('the read-only record', { input: statementRecord }, pinned, 'statement', 'INCONCLUSIVE VNVUUU', { digest: statementDigest, check: 'signature', reason: 'no signature' }),
  makeCase('a statement alone', { input: statement }, pinned, 'statement', 'INCONCLUSIVE VNUUUU', { digest: statementDigest, check: 'signature', reason: 'nothing is signed' }),
  makeCase('a statement beside another envelope', { input: { statement: change({ seal: null }), envelope: signed } }, pinned, 'statement', 'FAIL MVVUUV', { check: 'structure', reason: 'not the one inside' }),
  makeCase('a record of another digest', { input: { ...statementRecord, statement_digest_sha256: sha256Hex('x') } }, pinned, 'statement', 'FAIL VNMUUU', { check: 'payload_digest', reason: 'statement_digest_sha256' }),
  makeCase('a signed statement that promotes nothing but fails a rule', { input: signedStatement(change({ doctrine: 'v12' })) }, pinned, 'statement', 'FAIL MVVUUV', { check: 'structure', reason: 'doctrine_is_v11' }),
  makeCase('a statement signed as a receipt', { input: { envelope: envelopeOf(new TextEncoder().encode(JSON.stringify(statement))) } }, pinned, 'statement', 'FAIL MMUUUU', { check: 'structure', reason: 'payload type' }),
  makeCase('a signed statement, altered', { input: { ...signedStatement(change({ note: 1 })), signatures: signed.signatures } }, pinned, 'statement', 'FAIL VMUUUU', { check: 'signature', reason: 'does not verify' }),
]
