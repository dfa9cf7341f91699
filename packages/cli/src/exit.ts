// What the exit codes say. Scripts depend on them: they never change their meaning.

export const EXIT = {
  done: 0,
  error: 1,
  usage: 2,
  failed: 3,
  refused: 4,
  insufficient: 5,
  denied: 6,
  review: 7,
  unreachable: 8,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_MEANINGS: readonly [ExitCode, string][] = [
  [EXIT.done, 'done; for verify: PASS, or PARTIAL with structure, signature and digest verified under a trusted key'],
  [EXIT.error, 'unexpected error, or the service failed or was killed'],
  [EXIT.usage, 'usage: unknown flag, missing file, malformed argument or refused input'],
  [EXIT.failed, 'verification failed; for organ replay: a digest or the status differs'],
  [EXIT.refused, 'missing, refused or insufficient credential'],
  [EXIT.insufficient, 'not enough evidence: nothing to verify, unsigned, no trusted key, or a demand not met'],
  [EXIT.denied, 'decision deny'],
  [EXIT.review, 'decision review: waiting for a person, or timed out'],
  [EXIT.unreachable, 'service unreachable'],
  [EXIT.interrupted, 'interrupted'],
]

/** Ends a command with a sentence that says what to do. */
export class CliError extends Error {
  readonly exit: ExitCode

  constructor(exit: ExitCode, message: string) {
    super(message)
    this.name = 'CliError'
    this.exit = exit
  }
}

export const usage = (message: string): CliError => new CliError(EXIT.usage, message)
