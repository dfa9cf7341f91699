/** What goes into the sandbox and what comes out. */

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

/** How the code ended, as the result tells it. */
interface CodeEnd {
  exit: 'ok' | 'error' | 'timeout' | 'oom' | 'killed'
  value_json: string | null
  value_type: string | null
  error: { name: string; message: string } | null
  stdout: string | null
  stdout_truncated: boolean
}

export interface CodeOutcome {
  end: CodeEnd
  /** How often the engine asked whether to go on. */
  fuel: number
  memoryBytes: number
}

/** An end that shows nothing of the code. */
export const toEnd = (exit: CodeEnd['exit'], error: CodeEnd['error'] = null): CodeEnd => ({
  exit,
  value_json: null,
  value_type: null,
  error,
  stdout: null,
  stdout_truncated: false,
})
