// Exports as files: the record of one receipt, and the JSONL of a whole ledger.
import { type LedgerExportOptions, LedgerExportVerifier } from './ledger-export.ts'
import { EXPORT_SCHEMA } from './presented.ts'
import { verifyReceipt } from './receipt.ts'
import { noEvidence, type VerificationReport } from './report.ts'
import { isRecord } from './shape.ts'
import type { Trust } from './trust.ts'

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
