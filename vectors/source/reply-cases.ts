// Replies of the service, and every kind of file that a demo key signed and a reader pinned as production.
import { replyDigest, DSSE_VERSION, hexEncode, KEY_HONESTY, leafHash, pae, RECEIPT_PAYLOAD_TYPE } from '../../packages/core/src/index.ts'
import type { Case, CaseTrust } from '../cases.ts'
import { makeCase, nobody, pinned } from './case.ts'
import { packOf, signedPack } from './documents.ts'
import { demo, production } from './keys.ts'
import { drafts, envelopeOf, exportLines, exportOf, ledger, noteFor, place, recordOf } from './ledger.ts'

const answer = {
  schema: 'orch.decision/v1',
  ok: true,
  decision: 'deny',
  reasons: ['THREAT_SIGNATURE'],
  stages: [{ id: 'normalise', verdict: 'allow', ms: 0.00005 }],
  ts: '2026-01-02T03:04:09.000Z',
}

async function replyOf(reply_sha256: string | undefined) {
  const payload = { decision: 'DENY', reasons: ['THREAT_SIGNATURE'], gates_fired: ['threat-signature-scan'] }
  const [made] = place([{ ...drafts[0]!, kind: 'decision', payload: reply_sha256 === undefined ? payload : { ...payload, reply_sha256 } }])
  const { digest, seq, prev, organ, body } = made!
  const root = leafHash(body)
  const { keyid } = production
  const receipt = {
    ...{ receipt_id: digest, digest, chain: organ, seq, prev, node_index: 0, signed: true, keyid, label: 'STRUCTURAL-ONLY' },
    dsse: { ...envelopeOf(body), signed: true, keyid, honesty: KEY_HONESTY.production, _dsse: DSSE_VERSION },
    inclusion: { leaf_index: 0, tree_size: 1, root: hexEncode(root), hashes: [] },
    checkpoint: await noteFor(1, root),
  }
  return { ...answer, receipt }
}

const reply = await replyOf(replyDigest(answer)!)
const { dsse: _, ...summary } = reply.receipt
const named = { ...answer, receipt: summary }
const { digest } = summary
const chat = { id: 'chatcmpl-1', object: 'chat.completion', choices: [], orch: { decision: 'allow', receipt: summary } }

/** The reader made a mistake: it took a demo key for a production key. */
const mistaken: CaseTrust = { keys: [{ name: 'demo', kind: 'production' }], log: true }
const small = { ...(await packOf([])), receipts: [] }
const demoEnvelope = (at: number) => ({ ...envelopeOf(ledger[at]!.body, demo), honesty: KEY_HONESTY.demo })
const demoLedger = exportLines({
  entries: ledger,
  sign: ({ body }) => demo.sign(pae(RECEIPT_PAYLOAD_TYPE, body)),
  key: demo,
  kind: 'demo',
})

export const replyCases: Case[] = [
  makeCase('a reply that carries its evidence', { input: reply }, pinned, 'reply', 'PASS VVVVVV', { digest }),
  makeCase('a reply whose answer was changed', { input: { ...reply, decision: 'allow' } }, pinned, 'reply', 'FAIL MVVVVV', { check: 'structure', reason: 'not the one that the signed bytes cover' }),
  makeCase('a reply with something added', { input: { ...reply, approved: true } }, pinned, 'reply', 'FAIL MVVVVV', { check: 'structure', reason: 'not the one' }),
  makeCase('an answer around a receipt that does not cover it', { input: await replyOf(undefined) }, pinned, 'reply', 'INCONCLUSIVE UVVVVV', { check: 'structure', reason: 'does not cover the answer' }),
  makeCase('a decision that only names its receipt', { input: named }, pinned, 'reply', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: `names receipt ${digest}; fetch it with` }),
  makeCase('a chat completion that names its receipt', { input: chat }, pinned, 'reply', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: `names receipt ${digest}` }),
  makeCase('plain text', { text: 'the payloadType of orch.receipt is explained elsewhere' }, nobody, 'unknown', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: 'not JSON' }),
  makeCase('any other JSON text', { text: '[1, 2, 3]' }, nobody, 'unknown', 'INCONCLUSIVE UUUUUU'),
  makeCase('an envelope cut off in the middle', { text: JSON.stringify(reply).slice(0, 900) }, pinned, 'unknown', 'FAIL MUUUUU', { check: 'structure', reason: 'not JSON' }),

  makeCase('a demo receipt, the key pinned as production', { input: await recordOf(2, demo, 'demo') }, mistaken, 'receipt', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo envelope, the key pinned as production', { input: demoEnvelope(2) }, mistaken, 'envelope', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo export, the key pinned as production', { input: await exportOf(2, demo, 'demo') }, mistaken, 'export', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo pack, the key pinned as production', { input: signedPack(small, demo, 'demo') }, mistaken, 'pack', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo ledger, the key pinned as production', { text: `${demoLedger.join('\n')}\n` }, mistaken, 'ledger-export', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('an envelope whose words about its key were reworded', { input: { ...demoEnvelope(2), honesty: 'signed with a production key' } }, mistaken, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'reworded' }),
]
