/** What the tools do. Each is a function of its arguments and of what it is given of the world; none reaches out itself,
 *  and a change is handed back for the step's own transaction instead of being made. */
import { canonicalBytes, sha256Hex, utf8Encode } from '@orch/core'
import { isInvisible } from '../../../domain/text/invisible.ts'
import { type ArgumentsOf, argumentFault, type ToolName } from '../../../domain/tools/arguments.ts'
import { BASIC_TOOLS, type BasicName, type ToolWorld } from '../../../domain/tools/basic.ts'
import { withDeadline } from '../../../platform/deadline.ts'
import { type Note, type Passage, retrieve, withNote } from './retrieve.ts'

export const MAX_OUTPUT_BYTES = 16 * 1024
const DEFAULT_RESULTS = 5

/** The outside as a tool gets it: read for this caller, and what is not the caller's to see is null. */
export interface World extends ToolWorld {
  verify(digest: string): Promise<Record<string, unknown> | null>
  /** What the gates would say of a text; decides and records nothing. */
  check(text: string): Promise<Record<string, unknown>>
  notes: readonly Note[]
  /** Where notes end up: with the session, or no further than this run. */
  scope: 'session' | 'run'
  observed: readonly Passage[]
}

export type Failure = 'ARGUMENTS_INVALID' | 'REFUSED' | 'OUTPUT_TOO_LARGE' | 'THREW' | 'TIMEOUT'

export type ToolUse =
  | { ok: true; output: Record<string, unknown>; text: string; sha256: string; bytes: number; notes: Note[] | null }
  | { ok: false; failure: Failure; reason: string }

interface Made {
  output: Record<string, unknown>
  /** The notes as they shall be. */
  notes?: Note[]
}

type Tool<Name extends ToolName> = (args: ArgumentsOf<Name>, world: World) => Made | string | Promise<Made | string>

const made = (output: Record<string, unknown>): Made => ({ output })

const basic =
  <Name extends BasicName>(name: Name): Tool<Name> =>
  async (args, world) => {
    const result = await BASIC_TOOLS[name](args, world)
    return typeof result === 'string' ? result : made(result)
  }

/** A sentence in place of a result is a refusal. */
const TOOLS: { [Name in ToolName]: Tool<Name> } = {
  hash: basic('hash'),
  time: basic('time'),
  calc: basic('calc'),
  json_query: basic('json_query'),
  text_stats: ({ text }) => made(textStats(text)),
  retrieve({ query, limit = DEFAULT_RESULTS }, { notes, observed }) {
    const passages = [...notes.map(({ name, text }): Passage => ({ source: 'note', id: name, text })), ...observed]
    return made({ searched: passages.length, results: retrieve(passages, query, limit) })
  },
  ledger_lookup: basic('ledger_lookup'),
  verify_receipt: async ({ digest }, world) => found(await world.verify(digest)),
  gate_check: async ({ text }, world) => made(await world.check(text)),
  note_put({ name, text }, { notes, scope }) {
    const next = withNote(notes, { name, text })
    if (next === null) return 'the session holds as many notes as it may'
    return { output: { stored: true, kept: scope, notes: next.length }, notes: next }
  },
  session_clear: (_args, { notes, scope }) => ({ output: { cleared: notes.length, kept: scope }, notes: [] }),
}

const found = (value: Record<string, unknown> | null): Made => made({ found: value !== null, ...value })

export async function useTool(name: ToolName, args: Record<string, unknown>, world: World): Promise<ToolUse> {
  const fault = argumentFault(name, args)
  if (fault !== null) return { ok: false, failure: 'ARGUMENTS_INVALID', reason: fault }
  try {
    const result = await (TOOLS[name] as Tool<never>)(args as never, world)
    return typeof result === 'string' ? { ok: false, failure: 'REFUSED', reason: result } : measured(result)
  } catch {
    // What it threw may hold text of the arguments or of the store: that it threw is all that is told.
    return { ok: false, failure: 'THREW', reason: 'the tool broke' }
  }
}

const decoder = new TextDecoder()

function measured({ output, notes }: Made): ToolUse {
  const bytes = canonicalBytes(output)
  if (bytes.length > MAX_OUTPUT_BYTES)
    return { ok: false, failure: 'OUTPUT_TOO_LARGE', reason: `an output has at most ${MAX_OUTPUT_BYTES} bytes` }
  const text = decoder.decode(bytes)
  return { ok: true, output, text, sha256: sha256Hex(bytes), bytes: bytes.length, notes: notes ?? null }
}

/** Counts of a text, all in one pass; `invisible` are characters a reader does not see. */
function textStats(text: string) {
  const counts = { code_points: 0, utf8_bytes: utf8Encode(text).length, words: 0, lines: 1, digits: 0, invisible: 0 }
  let inWord = false
  for (const letter of text) {
    counts.code_points++
    if (letter === '\n') counts.lines++
    if (letter >= '0' && letter <= '9') counts.digits++
    if (isInvisible(letter.codePointAt(0) as number)) counts.invisible++
    const space = /\s/u.test(letter)
    if (!space && !inWord) counts.words++
    inWord = !space
  }
  return counts
}

export const TOOL_MS = 5000

export const withinTime = (work: Promise<ToolUse>, ms: number): Promise<ToolUse> =>
  withDeadline(
    ms,
    () => work,
    () => ({ ok: false, failure: 'TIMEOUT', reason: 'the tool took too long' }),
  )
