// Replies of the service, and every kind of file that a demo key signed and a reader pinned as production.
import {
  replyDigest,
  DSSE_VERSION,
  headerLine,
  hexEncode,
  KEY_HONESTY,
  leafHash,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  type ReceiptDraft,
  rootOf,
} from '../../packages/core/src/index.ts'
import type { Case, CaseTrust } from '../cases.ts'
import { makeCase, anonymous, pinned, withDemo } from './case.ts'
import { packOf, signedPack, signedStatement, statement } from './documents.ts'
import { demo, ORIGIN, production, type SigningKey } from './keys.ts'
import { drafts, envelopeOf, exportLines, exportOf, ledger, type Made, noteFor, place, recordOf } from './ledger.ts'

const answer = {
  schema: 'orch.decision/v1',
  ok: true,
  decision: 'deny',
  reasons: ['THREAT_SIGNATURE'],
  stages: [{ id: 'normalise', verdict: 'allow', ms: 0.00005 }],
  ts: '2026-01-02T03:04:09.000Z',
}

const replyDraft = (reply_sha256: string | undefined): ReceiptDraft => {
  const payload = { decision: 'DENY', reasons: ['THREAT_SIGNATURE'], gates_fired: ['threat-signature-scan'] }
  return { ...drafts[0]!, kind: 'decision', payload: reply_sha256 === undefined ? payload : { ...payload, reply_sha256 } }
}

async function replyOf(reply_sha256: string | undefined) {
  const [made] = place([replyDraft(reply_sha256)])
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

/** The only receipt of its ledger, with what proves it and no word about its key beside the signed bytes. */
async function bareProof({ body, digest }: Made, key: SigningKey) {
  const root = leafHash(body)
  return {
    dsse: envelopeOf(body, key),
    digest,
    inclusion: { leaf_index: 0, tree_size: 1, root: hexEncode(root), hashes: [] },
    checkpoint: await noteFor(1, root),
  }
}

// Everything that no signature covers was taken off; the signed bytes still say what kind of key signs them.
const demoBodies = place(drafts, 'demo')
const strippedReceipt = await bareProof(demoBodies[0]!, demo)
const { digest: node_digest, ...proof } = strippedReceipt
const { honesty: _honesty, _dsse, _pae_sha256, ...bareEnvelope } = (await exportOf(0, demo, 'demo')).dsse
const { payload_b64: _payload, pae_b64: _pae, khipu_root: _root, verification: _verification, ...exportWords } = await exportOf(0, demo, 'demo')
const strippedExport = { ...exportWords, ...proof, node_digest, ledger_size: 1, dsse: { ...bareEnvelope, ...proof.dsse } }
const demoPack = signedPack({ ...small, cosign_public_key: { ...small.cosign_public_key, key_id: demo.keyid, key_kind: 'demo' } }, demo)
const strippedPack = { ...demoPack, signature: { ...demoPack.signature, key_kind: null } }
const demoTree = rootOf(demoBodies.map(({ body }) => leafHash(body)))
const [, ...strippedLines] = exportLines({ entries: demoBodies, sign: ({ body }) => demo.sign(pae(RECEIPT_PAYLOAD_TYPE, body)), key: demo })
const strippedHeader = headerLine({ origin: ORIGIN, size: demoBodies.length, root: hexEncode(demoTree), checkpoint: await noteFor(demoBodies.length, demoTree), keys: [] })
const strippedReply = { ...answer, receipt: await bareProof(place([replyDraft(replyDigest(answer)!)], 'demo')[0]!, demo) }
const [saysProduction] = place(drafts, 'production')

export const replyCases: Case[] = [
  makeCase('a reply that carries its evidence', { input: reply }, pinned, 'reply', 'PASS VVVVVV', { digest }),
  makeCase('a reply whose answer was changed', { input: { ...reply, decision: 'allow' } }, pinned, 'reply', 'FAIL MVVVVV', { check: 'structure', reason: 'not the one that the signed bytes cover' }),
  makeCase('a reply with something added', { input: { ...reply, approved: true } }, pinned, 'reply', 'FAIL MVVVVV', { check: 'structure', reason: 'not the one' }),
  makeCase('an answer around a receipt that does not cover it', { input: await replyOf(undefined) }, pinned, 'reply', 'INCONCLUSIVE UVVVVV', { check: 'structure', reason: 'does not cover the answer' }),
  makeCase('a decision that only names its receipt', { input: named }, pinned, 'reply', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: `names receipt ${digest}; fetch it with` }),
  makeCase('a chat completion that names its receipt', { input: chat }, pinned, 'reply', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: `names receipt ${digest}` }),
  makeCase('plain text', { text: 'the payloadType of orch.receipt is explained elsewhere' }, anonymous, 'unknown', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: 'not JSON' }),
  makeCase('any other JSON text', { text: '[1, 2, 3]' }, anonymous, 'unknown', 'INCONCLUSIVE UUUUUU'),
  makeCase('an envelope cut off in the middle', { text: JSON.stringify(reply).slice(0, 900) }, pinned, 'unknown', 'FAIL MUUUUU', { check: 'structure', reason: 'not JSON' }),

  makeCase('a demo receipt, the key pinned as production', { input: await recordOf(2, demo, 'demo') }, mistaken, 'receipt', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo envelope, the key pinned as production', { input: demoEnvelope(2) }, mistaken, 'envelope', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo export, the key pinned as production', { input: await exportOf(2, demo, 'demo') }, mistaken, 'export', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo pack, the key pinned as production', { input: signedPack(small, demo, 'demo') }, mistaken, 'pack', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo ledger, the key pinned as production', { text: `${demoLedger.join('\n')}\n` }, mistaken, 'ledger-export', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),

  makeCase('a demo receipt stripped of its words, the key pinned as production', { input: strippedReceipt }, mistaken, 'receipt', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo envelope stripped of its words, the key pinned as production', { input: strippedReceipt.dsse }, mistaken, 'envelope', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo export stripped of its words, the key pinned as production', { input: strippedExport }, mistaken, 'export', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo pack stripped of its words, the key pinned as production', { input: strippedPack }, mistaken, 'pack', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo ledger stripped of its words, the key pinned as production', { text: `${[strippedHeader, ...strippedLines].join('\n')}\n` }, mistaken, 'ledger-export', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo reply stripped of its words, the key pinned as production', { input: strippedReply }, mistaken, 'reply', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),
  makeCase('a demo pack that is called production beside its signed bytes', { input: demoPack }, mistaken, 'pack', 'FAIL VVVUUM', { check: 'key_trust', reason: 'called production' }),
  makeCase('a receipt that is called production beside signed bytes that say demo', { input: { ...strippedReceipt, key_kind: 'production' } }, mistaken, 'receipt', 'FAIL VVVVVM', { check: 'key_trust', reason: 'called production' }),
  makeCase('signed bytes that say production, by a key pinned so', { input: await bareProof(saysProduction!, production) }, pinned, 'receipt', 'PASS VVVVVV'),
  makeCase('signed bytes that say production, by a demo key', { input: await bareProof(saysProduction!, demo) }, withDemo, 'receipt', 'FAIL VVVVVM', { check: 'key_trust', reason: 'called production but is pinned as demo' }),
  makeCase('signed bytes that say demo, by a key that the caller supplied', { input: strippedReceipt }, { keys: [{ name: 'demo', kind: 'caller-supplied' }], log: true }, 'receipt', 'PARTIAL VVVVVD', { check: 'key_trust', reason: 'never counts as production' }),
  makeCase('a signed statement that says demo, the key pinned as production', { input: signedStatement({ ...statement, predicate: { ...statement.predicate, key_kind: 'demo' } }, demo) }, mistaken, 'statement', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'calls the signing key a demo key' }),

  makeCase('an envelope whose words about its key were reworded', { input: { ...demoEnvelope(2), honesty: 'signed with a production key' } }, mistaken, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'reworded' }),
]
