/** What a target calls itself is foreign text: recorded where it is the plain name of a model, else its digest alone. */
import { sha256Hex } from '@orch/core'
import type { Finding } from '../../../domain/gates/finding.ts'
import type { ModelNames } from '../schemas.ts'

const PLAIN = /^[A-Za-z0-9._:/@+-]{1,128}$/
/** Where a name stands in what is examined beside the text of an answer. */
const POINTER = '/model'
/** Longer than any name: its digest is all that is examined and kept. */
const MAX_LENGTH = 1024

const digestOf = (name: string): string => `sha256:${sha256Hex(new TextEncoder().encode(name))}`

/** As it came, to be examined; null where the target named none. */
export function namedBy(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  return value.length > MAX_LENGTH ? digestOf(value) : value
}

interface Seen {
  findings: readonly Pick<Finding, 'pointer'>[]
  findings_total: number
}

/** What may be recorded and told of the name. `seen` is what the gates found in an answer that is told; a list cut short
 *  may have lost what was in the name. */
export function reportedName(name: string | null, resolved: string | null, seen: Seen | null): string | null {
  if (name === null || name === resolved) return name
  const clean =
    seen !== null &&
    seen.findings_total === seen.findings.length &&
    !seen.findings.some(({ pointer }) => pointer === POINTER)
  return clean && PLAIN.test(name) ? name : digestOf(name)
}

export const modelNames = (
  requested: string | null,
  resolved: string | null,
  { named, returned }: { named: string | null; returned: string | null },
): ModelNames => ({
  requested,
  resolved,
  returned,
  mismatch: resolved === null || named === null ? null : named !== resolved,
})
