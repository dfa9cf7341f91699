/** What goes into the sandbox and what comes out. */
import Type, { type Static } from 'typebox'
import { closed, Hex64, Nullable, Text, words } from '../../../domain/wire.ts'

export interface CodeRun {
  code: string
  /** JSON text. */
  input: string | null
  timeoutMs: number
  memoryMb: number
  log: boolean
  /** What the engine seeds its random numbers with. */
  randomSeed: number
  /** Makes every run a run of its own: two equal requests never share one. */
  ticket: number
}

export const RunResult = closed({
  exit: words(['ok', 'error', 'timeout', 'oom', 'killed']),
  value: Type.Unknown(),
  value_json: Nullable(Type.String({ description: 'the value as the code spelled it' })),
  value_type: Text,
  error: Nullable(closed({ name: Type.String(), message: Type.String() })),
  stdout: Text,
  stdout_truncated: Type.Boolean(),
  code_sha256: Hex64,
})

/** How the code ended, as the result tells it. */
export type CodeEnd = Omit<Static<typeof RunResult>, 'value' | 'code_sha256'>

export interface CodeOutcome {
  end: CodeEnd
  /** How often the engine asked whether to go on. */
  fuel: number
  memoryBytes: number
}
