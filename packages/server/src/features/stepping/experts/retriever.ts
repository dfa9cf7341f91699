/** Retriever: what the request leans on. References are looked up for this owner alone; texts like an earlier one
 *  that was refused are recognised by their shingles. */
import { masked } from '../../../domain/gates/finding.ts'
import type { HistoryWindow, RememberedStep } from '../rules/history.ts'
import { FULL, NONE, ratio } from '../rules/millionths.ts'
import type { ExpertFinding } from '../schemas.ts'
import { distinct, expertFinding, type Opinion } from './expert.ts'
import { compareTexts, isAtLeast, type Remembered, similarityMicro } from './novelty.ts'
import type { Reference } from './references.ts'

/** What the ledger says about the references of one request; made by the caller before the experts run. */
export interface LedgerView {
  /** Receipts of this owner among the digests asked for. A foreign one is not here. */
  receipts: ReadonlyMap<string, 'verified' | 'failed'>
  /** Names of this owner's sessions among those asked for. */
  sessions: ReadonlySet<string>
}

export interface RetrieverInput {
  references: readonly Reference[]
  /** Null before the mode is chosen: nothing is looked up then. */
  lookup: { ledger: LedgerView; earlier: readonly RememberedStep[]; window: HistoryWindow } | null
  sessionId: string
  /** The request as the session will remember it. */
  own: Remembered
}

export interface NearStep {
  step: number
  similarity_micro: number
  verdict: RememberedStep['verdict']
}

const NEAR = 800_000
const MAX_NEAR = 3

export function retriever({ references, lookup, sessionId, own }: RetrieverInput): Opinion & { nearest: NearStep[] } {
  // Before anything is looked up there is nothing to say but whether something is referred to.
  const quiet = references.length === 0 ? 'abstain' : 'pass'
  if (!lookup) return { expert: 'retriever', verdict: quiet, findings: [], intensities: {}, nearest: [] }
  const checked = references.filter(({ kind }) => kind !== 'url')
  const statuses = checked.map((reference) => ({ reference, status: resolve(reference, lookup, sessionId) }))
  const unresolved = statuses.filter(({ status }) => status === 'unresolved')
  const failing = statuses.filter(({ status }) => status === 'failed')
  const refused = lookup.earlier.filter(({ verdict }) => verdict !== 'allow')
  const similarityTo = compareTexts(own)
  const copies = refused.filter((step) => isAtLeast(similarityTo(step), NEAR))
  const [denied, reviewed] = (['deny', 'review'] as const).map((is) => copies.filter(({ verdict }) => verdict === is))
  const blocks = failing.length + denied!.length > 0
  const cautions = unresolved.length + reviewed!.length > 0
  return {
    expert: 'retriever',
    verdict: blocks ? 'block' : cautions ? 'caution' : quiet,
    findings: distinct([
      ...failing.map(({ reference }) => found('REFERENCE_FAILS_VERIFICATION', reference)),
      ...copies.map(nearCopy),
      ...unresolved.map(({ reference }) => found('REFERENCE_UNRESOLVED', reference)),
      ...references
        .filter(({ kind }) => kind === 'url')
        .map((reference) => ({ ...found('URL_LISTED', reference), weight_id: null })),
    ]),
    intensities: {
      unresolved_reference: checked.length === 0 ? NONE : ratio(unresolved.length + failing.length, checked.length),
      history_conflict: denied!.length > 0 ? FULL : reviewed!.length > 0 ? ratio(1, 2) : NONE,
    },
    nearest: nearestOf(similarityTo, lookup.earlier),
  }
}

function resolve(
  { kind, value }: Reference,
  { ledger, earlier, window }: NonNullable<RetrieverInput['lookup']>,
  sessionId: string,
): 'resolved' | 'unresolved' | 'failed' {
  if (kind === 'step') return earlier.some(({ step }) => step === Number(value)) ? 'resolved' : 'unresolved'
  if (kind === 'session') return value === sessionId || ledger.sessions.has(value) ? 'resolved' : 'unresolved'
  const receipt = ledger.receipts.get(value)
  // A receipt that fails is named wherever it lies: a smaller window must not make it harmless.
  if (receipt === 'failed') return 'failed'
  const near = earlier.some((step) => [step.receipt_digest, step.state_hash, step.request_digest].includes(value))
  return near || (receipt === 'verified' && window.owner_receipts) ? 'resolved' : 'unresolved'
}

function nearestOf(similarityTo: ReturnType<typeof compareTexts>, earlier: readonly RememberedStep[]): NearStep[] {
  return earlier
    .map((earlierStep) => {
      const { step, verdict } = earlierStep
      return { step, verdict, similarity_micro: similarityMicro(similarityTo(earlierStep)) }
    })
    .filter(({ similarity_micro }) => similarity_micro > 0)
    .sort((a, b) => b.similarity_micro - a.similarity_micro || b.step - a.step)
    .slice(0, MAX_NEAR)
}

const nearCopy = ({ step, verdict }: RememberedStep): ExpertFinding => {
  const code = verdict === 'deny' ? 'NEAR_COPY_OF_DENIED' : 'NEAR_COPY_UNDER_REVIEW'
  return expertFinding(code, `step ${step}`, 'history_conflict')
}

const found = (code: string, { kind, value, span }: Reference): ExpertFinding =>
  expertFinding(code, kind === 'step' ? `step ${value}` : masked(value, kind), 'unresolved_reference', span)
