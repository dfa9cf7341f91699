// One receipt in every form, and what an attacker may do to it.
import {
  base64Decode,
  base64Encode,
  derToRaw,
  pae,
  PACK_PAYLOAD_TYPE,
  RECEIPT_PAYLOAD_TYPE,
  rawToDer,
  sha256,
  signNote,
  utf8Encode,
} from '../../packages/core/src/index.ts'
import type { Case } from '../cases.ts'
import { makeCase, anonymous, pinned, withDemo } from './case.ts'
import { demo, log, otherLog, production, unpinned } from './keys.ts'
import { checkpoint, contextOf, envelopeOf, exportOf, inclusionOf, ledger, noteFor, rebody, recordOf } from './ledger.ts'

const { body, digest } = ledger[2]!
const envelope = envelopeOf(body)
const record = await recordOf(2)
const exported = await exportOf(2)
const der = base64Decode(envelope.signatures[0]!.sig)!
const raw = derToRaw(der)!
const [r, s] = [raw.slice(0, 32), raw.slice(32)]

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const big = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
const bytes32 = (value: bigint): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * (31 - i))) & 255n))
const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))
const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, bytes[at]! ^ 1)
const withSignature = (sig: Uint8Array) => ({ ...envelope, signatures: [{ sig: base64Encode(sig), keyid: production.keyid }] })
const text = new TextDecoder().decode(body)
const signedText = (altered: string) => envelopeOf(utf8Encode(altered))
const lambdaAt = text.indexOf('0.42') + 3
const second = (key: typeof unpinned, message: Uint8Array) => ({ sig: base64Encode(key.sign(message)), keyid: key.keyid })
const message = pae(RECEIPT_PAYLOAD_TYPE, body)
const inclusion = await inclusionOf(2)
const otherRoot = sha256(utf8Encode('another tree'))
const bad = 'does not verify under the trusted key'

export const receiptCases: Case[] = [
  makeCase('a record with its ledger at hand', { input: record }, { ...pinned, chain: contextOf(2) }, 'receipt', 'PASS VVVVVV', { digest }),
  makeCase('the first receipt of a chain', { input: await recordOf(1) }, { ...pinned, chain: contextOf(1) }, 'receipt', 'PASS VVVVVV', { digest: ledger[1]!.digest }),
  makeCase('a record alone', { input: record }, pinned, 'receipt', 'PASS VVVVVV', { digest }),
  makeCase('an export record', { input: exported }, pinned, 'export', 'PASS VVVVVV', { digest }),
  makeCase('a bare envelope', { input: envelope }, pinned, 'envelope', 'PARTIAL VVVUUV', { digest }),
  makeCase('a bare envelope as the text of a file', { text: JSON.stringify(envelope, null, 2) }, pinned, 'envelope', 'PARTIAL VVVUUV', { digest }),
  makeCase('a bare body', { input: JSON.parse(text) }, pinned, 'receipt', 'INCONCLUSIVE VNUUUU', { digest, check: 'signature', reason: 'nothing is signed' }),
  makeCase('a bare body whose digest the reader knows', { input: JSON.parse(text) }, { ...pinned, expected_digest: digest }, 'receipt', 'INCONCLUSIVE VNVUUU', { digest }),
  makeCase('an envelope that is not the receipt the reader asked for', { input: envelope }, { ...pinned, expected_digest: ledger[0]!.digest }, 'envelope', 'FAIL VVMUUV', { check: 'payload_digest', reason: 'asked for' }),
  makeCase('no key at all', { input: envelope }, anonymous, 'envelope', 'INCONCLUSIVE VUUUUU', { check: 'signature', reason: 'no key was given' }),
  makeCase('a key that nobody pinned', { input: envelopeOf(body, unpinned) }, pinned, 'envelope', 'INCONCLUSIVE VUUUUU', { check: 'signature', reason: 'not among those given' }),
  makeCase('a key the caller supplied', { input: envelope }, { keys: [{ name: 'production', kind: 'caller-supplied' }], log: true }, 'envelope', 'PARTIAL VVVUUU', { check: 'key_trust', reason: 'supplied for this check' }),
  makeCase('a demo key is called a demo key', { input: envelopeOf(body, demo) }, withDemo, 'envelope', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'demo key' }),
  makeCase('a demo key where production is required', { input: envelopeOf(body, demo) }, { ...withDemo, require_production: true }, 'envelope', 'PARTIAL VVVUUD', { check: 'key_trust', reason: 'production key is required' }),
  makeCase('a demo key presented as production', { input: await recordOf(2, demo, 'production') }, withDemo, 'receipt', 'FAIL VVVVVM', { check: 'key_trust', reason: 'called production but is pinned as demo' }),
  makeCase('a key before its validity', { input: envelope }, { keys: [{ name: 'production', kind: 'production', from: '2026-02-01T00:00:00.000Z' }], log: true }, 'envelope', 'PARTIAL VVVUUU', { check: 'key_trust', reason: 'outside the validity' }),
  makeCase('a key after its validity', { input: envelope }, { keys: [{ name: 'production', kind: 'production', to: '2026-01-02T03:04:03.000Z' }], log: true }, 'envelope', 'PARTIAL VVVUUU', { check: 'key_trust', reason: 'outside the validity' }),

  makeCase('one digit of the payload changed', { input: { ...envelope, payload: base64Encode(flipped(body, lambdaAt)) } }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('one digit of the payload changed, digest kept', { input: { ...record, dsse: { ...envelope, payload: base64Encode(flipped(body, lambdaAt)) } } }, pinned, 'receipt', 'FAIL VMMUMU', { check: 'payload_digest', reason: 'not the SHA-256' }),
  makeCase('a byte of the payload that is no longer UTF-8', { input: { ...envelope, payload: base64Encode(body.with(5, 0xff)) } }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'structure', reason: 'UTF-8' }),
  makeCase('a byte of the signature flipped', { input: withSignature(flipped(der, 20)) }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('another payload type under the same signature', { input: { ...envelope, payloadType: PACK_PAYLOAD_TYPE } }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'structure', reason: 'payload type' }),
  makeCase('receipt bytes signed as another type', { input: envelopeOf(body, production, 'application/json') }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'signature', reason: 'payloadType is not' }),
  makeCase('empty signatures', { input: { ...envelope, signatures: [] } }, pinned, 'envelope', 'INCONCLUSIVE VNUUUU', { check: 'signature', reason: 'no signature' }),
  makeCase('a signature of no bytes', { input: withSignature(new Uint8Array(0)) }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('BER: the length in long form', { input: withSignature(join(Uint8Array.of(0x30, 0x81, der[1]!), der.slice(2))) }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('BER: a byte after the sequence', { input: withSignature(join(der, Uint8Array.of(0))) }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('r and s without DER', { input: withSignature(raw) }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('r and s swapped', { input: withSignature(rawToDer(join(s, r))) }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('r and s of zero', { input: withSignature(Uint8Array.of(0x30, 6, 2, 1, 0, 2, 1, 0)) }, pinned, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('the twin signature (r, n-s) is the same receipt', { input: withSignature(rawToDer(join(r, bytes32(ORDER - big(s))))) }, pinned, 'envelope', 'PARTIAL VVVUUV', { digest }),
  makeCase('key confusion: the demo key signs under the name of production', { input: { ...envelope, signatures: [{ sig: base64Encode(demo.sign(message)), keyid: production.keyid }] } }, withDemo, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('an algorithm named in the signature', { input: { ...envelope, signatures: [{ ...envelope.signatures[0], alg: 'none' }] } }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'structure', reason: 'not a field of a signature' }),
  makeCase('an algorithm named in the envelope', { input: { ...envelope, alg: 'ES256' } }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'structure', reason: 'not a field of an envelope' }),
  makeCase('a second signature by an unknown key is ignored', { input: { ...envelope, signatures: [...envelope.signatures, second(unpinned, message)] } }, pinned, 'envelope', 'PARTIAL VVVUUV', { digest }),
  makeCase('a second signature that is bad under a pinned key', { input: { ...envelope, signatures: [...envelope.signatures, { ...second(unpinned, message), keyid: demo.keyid }] } }, withDemo, 'envelope', 'FAIL VMUUUU', { check: 'signature', reason: bad }),
  makeCase('the payload in URL base64', { input: { ...envelope, payload: envelope.payload.replaceAll('=', '') } }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'structure', reason: 'base64' }),
  makeCase('a line break inside the base64', { input: { ...envelope, payload: `${envelope.payload.slice(0, 64)}\n${envelope.payload.slice(64)}` } }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'structure', reason: 'base64' }),

  makeCase('white space under a valid signature', { input: signedText(text.replace(',', ', ')) }, pinned, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'not in canonical form' }),
  makeCase('keys in another order under a valid signature', { input: signedText(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()))) }, pinned, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'not in canonical form' }),
  makeCase('a key twice under a valid signature', { input: signedText(text.replace('"decision":"DENY"', '"decision":"DENY","decision":"DENY"')) }, pinned, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'same key twice' }),
  makeCase('a number spelt differently under a valid signature', { input: signedText(text.replace('0.42', '4.2e-1')) }, pinned, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'not in canonical form' }),
  makeCase('a further field under a valid signature', { input: envelopeOf(rebody(2, (value) => ({ ...value, extra: 1 }))) }, pinned, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'exactly the fields' }),
  makeCase('a missing field under a valid signature', { input: envelopeOf(rebody(2, ({ policy: _, ...rest }) => rest)) }, pinned, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'exactly the fields' }),
  makeCase('a kind outside the list under a valid signature', { input: envelopeOf(rebody(2, (value) => ({ ...value, kind: 'blessing' }))) }, pinned, 'envelope', 'FAIL MVVUUV', { check: 'structure', reason: 'closed list' }),
  makeCase('a key twice in the envelope itself', { text: `{"payloadType":"x",${JSON.stringify(envelope).slice(1)}` }, pinned, 'unknown', 'FAIL MUUUUU', { check: 'structure', reason: 'same key twice' }),
  makeCase('a prototype in the envelope', { text: `{"__proto__":{"signed":true},${JSON.stringify(envelope).slice(1)}` }, pinned, 'envelope', 'FAIL MMUUUU', { check: 'structure', reason: 'not a field of an envelope' }),

  makeCase('a record that claims another digest', { input: { ...record, digest: ledger[0]!.digest } }, pinned, 'receipt', 'FAIL VVMVVV', { check: 'payload_digest', reason: 'digest is not the SHA-256' }),
  makeCase('a record that claims another receipt id', { input: { ...record, receipt_id: digest.toUpperCase() } }, pinned, 'receipt', 'FAIL VVMVVV', { check: 'payload_digest', reason: 'receipt_id' }),
  makeCase('a record that claims another position', { input: { ...record, seq: 7 } }, pinned, 'receipt', 'FAIL MVVVVV', { check: 'structure', reason: 'seq contradicts' }),
  makeCase('a record that claims another index than its proof', { input: { ...record, node_index: 3 } }, pinned, 'receipt', 'FAIL MVVVVV', { check: 'structure', reason: 'node_index contradicts' }),
  makeCase('a record with a decision that was not made', { input: { ...record, decision: 'ALLOW' } }, pinned, 'receipt', 'FAIL MVVVVV', { check: 'structure', reason: 'decision contradicts' }),
  makeCase('a record with a field that nobody defined', { input: { ...record, approved_by: 'the board' } }, pinned, 'receipt', 'FAIL MVVVVV', { check: 'structure', reason: 'not a field of this format' }),
  makeCase('a record that calls itself unsigned', { input: { ...record, signed: false } }, pinned, 'receipt', 'FAIL MVVVVV', { check: 'structure', reason: 'signed contradicts' }),
  makeCase('an export of another node digest', { input: { ...exported, node_digest: ledger[1]!.digest } }, pinned, 'export', 'FAIL VVMVVV', { check: 'payload_digest', reason: 'node_digest' }),
  makeCase('an export with another payload beside the envelope', { input: { ...exported, payload_b64: base64Encode(ledger[0]!.body) } }, pinned, 'export', 'FAIL MVVVVV', { check: 'structure', reason: 'payload_b64 contradicts' }),
  makeCase('an export with another root', { input: { ...exported, khipu_root: digest } }, pinned, 'export', 'FAIL MVVVVV', { check: 'structure', reason: 'khipu_root contradicts' }),
  makeCase('an export of an empty ledger', { input: { ...exported, export_state: 'EMPTY', receipt_available: false, dsse: null } }, pinned, 'export', 'NO_INPUT UUUUUU', { check: 'structure', reason: 'holds no receipt' }),

  makeCase('a ledger that keeps another receipt in that place', { input: record }, { ...pinned, chain: { ...contextOf(2), digest: ledger[0]!.digest } }, 'receipt', 'PARTIAL VVVUVV', { check: 'hash_chain', reason: 'another receipt' }),
  makeCase('the wrong predecessor in the ledger', { input: record }, { ...pinned, chain: { ...contextOf(2), previous_b64: base64Encode(ledger[1]!.body) } }, 'receipt', 'FAIL VVVMVV', { check: 'hash_chain', reason: 'prev is not the digest' }),
  makeCase('no predecessor in the ledger', { input: record }, { ...pinned, chain: { ...contextOf(2), previous_b64: null } }, 'receipt', 'FAIL VVVMVV', { check: 'hash_chain', reason: 'no predecessor' }),
  makeCase('a ledger that is broken before the receipt', { input: record }, { ...pinned, chain: { ...contextOf(2), walk: { from: 0, to: 0, broken_at: 1 } } }, 'receipt', 'FAIL VVVMVV', { check: 'hash_chain', reason: 'broken at index 1' }),
  makeCase('a walk that did not reach the receipt', { input: record }, { ...pinned, chain: { ...contextOf(2), walk: { from: 0, to: 1, broken_at: null } } }, 'receipt', 'PARTIAL VVVUVV', { check: 'hash_chain', reason: 'did not reach' }),
  makeCase('a ledger that is broken after the receipt', { input: record }, { ...pinned, chain: { ...contextOf(2), walk: { from: 0, to: 3, broken_at: 4 } } }, 'receipt', 'PASS VVVVVV', { digest }),

  makeCase('no log key', { input: record }, { ...pinned, log: false }, 'receipt', 'PARTIAL VVVUUV', { check: 'inclusion', reason: 'not signed by a known log key' }),
  makeCase('a proof without a checkpoint', { input: { ...record, checkpoint: null } }, pinned, 'receipt', 'PARTIAL VVVUUV', { check: 'inclusion', reason: 'no checkpoint' }),
  makeCase('a hash of the path changed', { input: { ...record, inclusion: { ...inclusion, hashes: inclusion.hashes.with(0, digest) } } }, pinned, 'receipt', 'FAIL VVVUMV', { check: 'inclusion', reason: 'does not lead' }),
  makeCase('a hash of the path dropped', { input: { ...record, inclusion: { ...inclusion, hashes: inclusion.hashes.slice(1) } } }, pinned, 'receipt', 'FAIL VVVUMV', { check: 'inclusion', reason: 'does not lead' }),
  makeCase('the proof of another receipt', { input: { ...record, node_index: 3, inclusion: await inclusionOf(3) } }, pinned, 'receipt', 'FAIL VVVUMV', { check: 'inclusion', reason: 'does not lead' }),
  makeCase('a proof with a further field', { input: { ...record, inclusion: { ...inclusion, proof: true } } }, pinned, 'receipt', 'FAIL MVVUMV', { check: 'inclusion', reason: 'malformed' }),
  makeCase('a checkpoint by a log that nobody pinned', { input: { ...record, checkpoint: await noteFor(5, base64Decode(checkpoint.split('\n')[2]!)!, otherLog.signer) } }, pinned, 'receipt', 'PARTIAL VVVUUV', { check: 'inclusion', reason: 'not signed by a known log key' }),
  makeCase('a split view: the log signed another root for this size', { input: { ...record, checkpoint: await noteFor(5, otherRoot) } }, pinned, 'receipt', 'FAIL VVVUMV', { check: 'inclusion', reason: 'another root' }),
  makeCase('a checkpoint of another size', { input: { ...record, checkpoint: await noteFor(6, otherRoot) } }, pinned, 'receipt', 'PARTIAL VVVUUV', { check: 'inclusion', reason: 'another size' }),
  makeCase('a checkpoint whose size was changed', { input: { ...record, checkpoint: checkpoint.replace('\n5\n', '\n6\n') } }, pinned, 'receipt', 'FAIL VVVUMV', { check: 'inclusion', reason: 'invalid signature' }),
  makeCase('a signed note that is no checkpoint', { input: { ...record, checkpoint: await signNote('hello\n', log.signer) } }, pinned, 'receipt', 'FAIL VVVUMV', { check: 'inclusion', reason: 'malformed' }),

  makeCase('nothing', { input: null }, pinned, 'unknown', 'NO_INPUT UUUUUU'),
  makeCase('an empty object', { input: {} }, pinned, 'unknown', 'NO_INPUT UUUUUU'),
  makeCase('an empty file', { text: ' \n' }, pinned, 'unknown', 'NO_INPUT UUUUUU'),
  makeCase('something else', { input: { hello: 'world' } }, pinned, 'unknown', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: 'none of the forms' }),
  makeCase('brackets without end', { text: '['.repeat(1000) }, pinned, 'unknown', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: 'nested too deeply' }),
  makeCase('a report is no evidence', { input: { schema: 'orch.verification-report/v1', kind: 'receipt', verdict: 'PASS', checks: [] } }, pinned, 'report', 'INCONCLUSIVE UUUUUU', { check: 'structure', reason: 'proves nothing' }),
]
