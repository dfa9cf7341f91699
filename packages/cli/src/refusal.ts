// Any error as an exit code and the sentences for stderr.
import { OrchError, OrchUnreachable, OrchValidationError } from '@orch/client'
import { CliError, EXIT, type ExitCode } from './exit.ts'
import { FileFault } from './verify.ts'

export type Refusal = { exit: ExitCode; lines: string[] }

export function refusalOf(error: unknown): Refusal {
  if (error instanceof CliError) return { exit: error.exit, lines: [error.message] }
  if (error instanceof FileFault) return { exit: EXIT.usage, lines: [error.message] }
  if (error instanceof OrchUnreachable)
    return { exit: EXIT.unreachable, lines: [`${error.message} (${causeOf(error)}); start it with: orch up`] }
  if (error instanceof OrchValidationError) return { exit: EXIT.usage, lines: validationLines(error) }
  if (error instanceof OrchError) return { exit: exitOfError(error), lines: serviceLines(error) }
  return { exit: EXIT.error, lines: [error instanceof Error ? error.message : String(error)] }
}

/** Refusals that are neither the request's fault nor the credential's: the same request may succeed later, or after a repair. */
const LATER = new Set(['state_conflict', 'model_gate_blocked', 'artifact_digest_mismatch'])

/** 401 and 403 are about the credential, the other refusals of a request about the request. */
export function exitOfError({ status, code }: Pick<OrchError, 'status' | 'code'>): ExitCode {
  if (status === 401 || status === 403) return EXIT.refused
  if (status === 408 || status === 429 || LATER.has(code)) return EXIT.error
  return status >= 400 && status < 500 ? EXIT.usage : EXIT.error
}

const serviceLines = ({ status, code, message, requestId }: OrchError): string[] => [
  `${code}: ${message}${status === 401 ? CREDENTIAL : ''}${requestId === null ? '' : ` (request ${requestId})`}`,
]

/** How the command line sends a header that the service misses. */
const CREDENTIAL = '; here by ORCH_TOKEN or --token-file FILE'

const validationLines = (error: OrchValidationError): string[] =>
  error.detail.length === 0 ? serviceLines(error) : error.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)

function causeOf({ cause }: Error): string {
  const inner = (cause as { cause?: unknown } | null)?.cause ?? cause
  const { code, name, message } = (inner ?? {}) as { code?: unknown; name?: string; message?: string }
  return typeof code === 'string'
    ? code
    : name === 'TimeoutError'
      ? 'no answer in time'
      : (message ?? 'no reason given')
}
