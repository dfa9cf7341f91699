// What the walk needs of a receipt: its place in its chain, from bytes that have been shown to be a receipt body.
import { sha256Hex } from '../digest.ts'
import { DOCTRINE, GENESIS_PREV } from '../doctrine.ts'
import { utf8Decode } from '../encoding.ts'
import { RECEIPT_KINDS, RECEIPT_SCHEMA, type ReceiptBody } from '../receipt.ts'
import { type BodyReading, MAX_BODY, readBody } from './body.ts'
import { plainValueEnd } from './plain-text.ts'

export type ReceiptLink = Pick<ReceiptBody, 'kind' | 'ns' | 'chain' | 'seq' | 'prev' | 'ts_utc'>
export type LinkReading = { ok: true; link: ReceiptLink; digest: string } | Extract<BodyReading, { ok: false }>

/** The same answer as `readBody`. Most bodies are so plain that their text says it all and no value has to be built. */
export function readLink(bytes: Uint8Array): LinkReading {
  const text = bytes.length <= MAX_BODY ? utf8Decode(bytes) : null
  const link = text === null ? null : plainLink(text)
  if (link) return { ok: true, link, digest: sha256Hex(bytes) }
  const reading = readBody(bytes)
  return reading.ok ? { ok: true, link: reading.body, digest: reading.digest } : reading
}

const NAME = '"([a-z0-9][a-z0-9._-]{0,63})"'
const TEXT = '"[ !#-[\\]-~]*"'
const TEXT_OR_NULL = `(?:null|${TEXT})`

/** All fields of a body in their one order, around the payload, which may hold anything. */
const BEFORE_PAYLOAD = new RegExp(
  `^\\{"actor":\\{"auth_mode":${TEXT_OR_NULL},"key_id":${TEXT_OR_NULL},"owner":${TEXT_OR_NULL}\\},"chain":${NAME},` +
    `"doctrine":"${DOCTRINE}","kind":"(${RECEIPT_KINDS.join('|')})","ns":${NAME},"payload":(?=\\{)`,
)
const AFTER_PAYLOAD = new RegExp(
  `,"policy":(?:null|\\{"policy_digest":${TEXT_OR_NULL},"rules_digest":${TEXT_OR_NULL}\\}),"prev":"([0-9a-f]{64})",` +
    `"request_id":${TEXT},"schema":"${RECEIPT_SCHEMA.replaceAll('.', '\\.')}","seq":(0|[1-9][0-9]{0,14}),` +
    `"ts_utc":"(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)"\\}$`,
  'y',
)

/** Null where the text is no plain body; it may be one all the same. */
export function plainLink(text: string): ReceiptLink | null {
  const before = BEFORE_PAYLOAD.exec(text)
  if (!before) return null
  const [start, chain, kind, ns] = before as unknown as [string, string, ReceiptLink['kind'], string]
  const end = plainValueEnd(text, start.length)
  if (end < 0) return null
  AFTER_PAYLOAD.lastIndex = end
  const after = AFTER_PAYLOAD.exec(text)
  if (!after) return null
  const [, prev, position, ts_utc] = after as unknown as [string, string, string, string]
  const seq = Number(position)
  // Only the first receipt of a chain follows 64 zeros; whatever breaks a rule is named by the full reader.
  return (seq === 0) === (prev === GENESIS_PREV) ? { kind, ns, chain, seq, prev, ts_utc } : null
}
