/** What each tool of the server's own registry does, in one sentence. */
import type { ToolName } from './arguments.ts'

export const TOOL_DESCRIPTIONS: Readonly<Record<ToolName, string>> = {
  hash: 'SHA-256 or SHA3-256 of a text',
  time: 'the time of the service, UTC, and in a time zone where one is named',
  calc: 'exact arithmetic on an expression',
  json_query: 'one value out of a JSON document',
  text_stats: 'characters, words and lines of a text',
  retrieve: 'the best matches among what the run has seen and noted',
  ledger_lookup: 'where a receipt stands in the ledger',
  verify_receipt: 'the checks of one receipt of the ledger',
  gate_check: 'what the gates say about a text, without deciding',
  note_put: 'keeps a short text for later steps',
  session_clear: 'forgets the notes of the session',
}
