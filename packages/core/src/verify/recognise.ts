// What is this? The kind is read off the value's own marks; a wrong guess costs nothing, because the verifier of that
// kind then finds the contradiction.
import { base64Decode, utf8Decode } from '../encoding.ts'
import { JsonError, parseStrictJson, placeOf, strictJsonOrNull } from '../json.ts'
import { RECEIPT_SCHEMA } from '../receipt.ts'
import { type LedgerExportOptions, LedgerExportVerifier } from './ledger-export.ts'
import { LEDGER_EXPORT_SCHEMA } from './ledger-lines.ts'
import { verifyPack } from './pack.ts'
import { PACK_ENVELOPE_SCHEMA } from './pack-shape.ts'
import { EXPORT_SCHEMA } from './presented.ts'
import { verifyReceipt } from './receipt.ts'
import { isReply, verifyReply } from './reply.ts'
import {
  check,
  type EvidenceKind,
  makeReport,
  noEvidence,
  noInput,
  REPORT_SCHEMA,
  unreadable,
  type VerificationReport,
} from './report.ts'
import { type Fields, isRecord, own } from './shape.ts'
import { CHAIN_OF_TITLE_SCHEMA, isStatement, STATEMENT_PAYLOAD_TYPE, verifyStatement } from './statement.ts'
import type { Trust } from './trust.ts'

export function recognise(value: unknown): EvidenceKind {
  if (!isRecord(value)) return 'unknown'
  const bySchema = typeof value.schema === 'string' ? SCHEMAS.get(value.schema) : undefined
  return bySchema ?? byFields(value)
}

const SCHEMAS = new Map<string, EvidenceKind>([
  [RECEIPT_SCHEMA, 'receipt'],
  [EXPORT_SCHEMA, 'export'],
  [LEDGER_EXPORT_SCHEMA, 'ledger-export'],
  [PACK_ENVELOPE_SCHEMA, 'pack'],
  [CHAIN_OF_TITLE_SCHEMA, 'statement'],
  [REPORT_SCHEMA, 'report'],
])

function byFields(value: Fields): EvidenceKind {
  if (own(value, 'payloadType') === STATEMENT_PAYLOAD_TYPE || isStatement(value)) return 'statement'
  if (Object.hasOwn(value, 'payloadType')) return isForeign(value) ? 'unknown' : 'envelope'
  if (isRecord(own(value, 'dsse'))) return 'receipt'
  if (isStatement(own(value, 'statement')) || hasPayloadType(own(value, 'envelope'))) return 'statement'
  return isReply(value) ? 'reply' : 'unknown'
}

/** Somebody else's envelope is not ours to condemn. One whose payload is a receipt stays ours, whatever its type was
 *  changed to. */
function isForeign({ payloadType, payload }: Fields): boolean {
  if (typeof payloadType !== 'string' || !MEDIA_TYPE.test(payloadType) || payloadType.startsWith(OUR_TYPES))
    return false
  const bytes = typeof payload === 'string' ? base64Decode(payload) : null
  return bytes !== null && !lossy.decode(bytes).includes('"orch.')
}

const OUR_TYPES = 'application/vnd.orch.'
const MEDIA_TYPE = /^[a-z]{1,32}\/[A-Za-z0-9.+-]{1,100}$/

const hasPayloadType = (value: unknown): boolean => isRecord(value) && Object.hasOwn(value, 'payloadType')

/** A parsed value, or the text or bytes of a file. Takes anything, never throws. */
export async function verifyAny(input: unknown, trust: Trust): Promise<VerificationReport> {
  if (typeof input === 'string' || input instanceof Uint8Array) return verifyFile(input, trust)
  if (isNothing(input)) return noInput('unknown', 'there is nothing to verify', trust.checkedAt)
  const kind = recognise(input)
  switch (kind) {
    case 'receipt':
    case 'envelope':
    case 'export':
      return verifyReceipt(input, trust)
    case 'pack':
      return verifyPack(input, trust)
    case 'statement':
      return verifyStatement(input, trust)
    case 'ledger-export':
      return unreadable(kind, 'this is the header of a ledger export without its receipts', trust.checkedAt)
    case 'report':
      return noEvidence(kind, REPORT, trust.checkedAt)
    case 'reply':
      return verifyReply(input, trust)
    case 'unknown':
      return noEvidence(kind, hasPayloadType(input) ? FOREIGN : UNKNOWN, trust.checkedAt)
  }
}

const REPORT = 'this is somebody’s report, which proves nothing; verify what it reports on'
const UNKNOWN = 'this is none of the forms that can be verified'
const FOREIGN = 'this is a DSSE envelope of another payload type than those of this service'

/** A ledger export is recognised by its first line; everything else is one strict JSON value. */
async function verifyFile(input: string | Uint8Array, trust: Trust): Promise<VerificationReport> {
  if (input.length === 0) return noInput('unknown', 'there is nothing to verify', trust.checkedAt)
  const text = typeof input === 'string' ? input : utf8Decode(input)
  if (text === null) return judgeUnread(lossy.decode(input as Uint8Array), 'the input is not valid UTF-8', trust)
  if (text.trim() === '') return noInput('unknown', 'there is nothing to verify', trust.checkedAt)
  if (text.startsWith(BYTE_ORDER_MARK)) return markedReport(await verifyFile(text.slice(1), trust), trust)
  if (isLedgerExport(text)) return verifyLedgerExport(linesOf(text), trust)
  try {
    return verifyAny(inner(parseStrictJson(text)), trust)
  } catch (error) {
    if (error instanceof JsonError)
      return judgeUnread(text, `this is not JSON: ${error.message}${placeOf(error, text)}`, trust)
    throw error
  }
}

const BYTE_ORDER_MARK = '\ufeff'
const MARKED =
  'a byte order mark stands before the first character: the file was changed on its way; verify it as it was written'

/** A mark that an editor put there contradicts nobody, and hides no contradiction in what follows it. */
function markedReport(report: VerificationReport, { checkedAt }: Trust): VerificationReport {
  const [structure, ...rest] = report.checks
  if (structure?.status !== 'VERIFIED' || report.verdict === 'FAIL') return report
  return makeReport(report.kind, [check('structure', 'UNAVAILABLE', MARKED), ...rest], report.subject, checkedAt)
}

/** Words of our formats: one changed byte cannot take all of them out of a file. */
const MARKS = [OUR_TYPES, '"payloadType"', 'orch.ledger-export', 'orch.receipt', 'orch.assurance.evidence']
const BEGINS_LIKE_JSON = /^\s*(?:\{|\S?\s*")/

/** A file of ours that was damaged until it could not be read contradicts itself. Any other text is no evidence. */
function judgeUnread(text: string, reason: string, { checkedAt }: Trust): VerificationReport {
  const isOurs = BEGINS_LIKE_JSON.test(text) && MARKS.some((mark) => text.includes(mark))
  return isOurs ? unreadable('unknown', reason, checkedAt) : noEvidence('unknown', reason, checkedAt)
}

/** Canonical lines begin with their first key, which spares parsing a large file that is no export. */
function isLedgerExport(text: string): boolean {
  const end = text.indexOf('\n')
  const first = end < 0 ? text : text.slice(0, end)
  return first.startsWith('{"checkpoint":') && recognise(strictJsonOrNull(first)) === 'ledger-export'
}

/** A JSON string is not opened a second time. */
const inner = (value: unknown): unknown => (typeof value === 'string' ? [value] : value)

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const lossy = new TextDecoder()

/** The export record of a single receipt. */
export async function verifyExport(input: unknown, trust: Trust): Promise<VerificationReport> {
  if (isRecord(input) && input.schema === EXPORT_SCHEMA) return verifyReceipt(input, trust)
  return noEvidence('export', `the schema is not ${EXPORT_SCHEMA}`, trust.checkedAt)
}

/** Lines without their newlines, from a file, a stream or a list. */
export async function verifyLedgerExport(
  lines: Iterable<string> | AsyncIterable<string>,
  trust: Trust,
  options: LedgerExportOptions = {},
): Promise<VerificationReport> {
  const verifier = new LedgerExportVerifier(trust, options)
  for await (const line of lines) {
    const full = verifier.push(line)
    if (full) await full
  }
  return verifier.finish()
}

/** The lines of a whole text; a last line without newline counts, what follows the last newline does not. */
export const linesOf = (text: string): string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
