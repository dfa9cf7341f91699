/** What organs that keep text ask of the guard before they keep it. */
import Type, { type Static } from 'typebox'
import { exactly } from '../../domain/wire.ts'
import type { Limit } from './schemas.ts'

export const SecretFinding = Type.Object(
  { rule: Type.String(), start: Type.Integer(), end: Type.Integer(), sample_masked: Type.String() },
  exactly,
)

interface Screened {
  action: 'allow' | 'review' | 'deny'
  findings: readonly Static<typeof SecretFinding>[]
  /** Sentences about scanners that did not finish. */
  faults: readonly string[]
}

/** Looks for secrets in a text. */
export type ScreenSecrets = (text: string) => Promise<Screened>

interface Refusal {
  findings: Static<typeof SecretFinding>[]
  /** What the outcome says besides. */
  said: { status: 'DENIED'; limits: Limit[]; volatile?: string }
}

/** Null where the text may be kept; what was found where not. A scanner that did not finish found nothing out. */
export async function refusal(screen: ScreenSecrets, text: string): Promise<Refusal | null> {
  const { action, findings, faults } = await screen(text)
  if (action !== 'deny' && faults.length === 0) return null
  return {
    findings: findings.map(({ rule, start, end, sample_masked }) => ({ rule, start, end, sample_masked })),
    said: {
      status: 'DENIED',
      limits: faults.map((detail) => ({ code: 'SCANNER_FAILED', detail })),
      ...(faults.length === 0 ? {} : { volatile: 'a scanner did not finish' }),
    },
  }
}
