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

export interface CodeOutcome {
  exit: 'ok' | 'error' | 'timeout' | 'oom' | 'killed'
  valueType: string | null
  valueJson: string | null
  error: { name: string; message: string } | null
  stdout: string | null
  stdoutTruncated: boolean
  /** How often the engine asked whether to go on. */
  fuel: number
  memoryBytes: number
}
