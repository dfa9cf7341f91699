/** Governed stepping: a request is examined, a session charged, a decision made and recorded with its effects in one
 *  transaction. */
import { hexDecode } from '@orch/core'
import { prepare } from '../domain/stepping/prepared.ts'
import type { Gates, Governance, Matter } from '../governance-contract.ts'
import type { DocumentWrite, LedgerReader } from '../ledger-contract.ts'
import type { Call } from '../operation.ts'
import type { Clock, Ledger, Recorder } from '../ports.ts'
import type { StepAsked, Stepping } from '../stepping-contract.ts'
import { STEP_OPERATION } from './approvals.ts'
import { decide, type Prepaid } from './deciding.ts'
import { Histories } from './history.ts'
import { keyedHash } from './keyed-hash.ts'
import { limitsFor, namedQuota, type QuotaLimits } from './quotas.ts'
import { ledgerView } from './references.ts'
import { composeStep, rehearsed, stepAnswer } from './step-answer.ts'
import { stepDraft } from './step-draft.ts'
import { wordSource } from './words.ts'

export interface StepParts {
  ledger: Pick<Ledger, 'writeDocuments'>
  reader: LedgerReader
  recorder: Recorder
  governance: Governance
  gates: Pick<Gates, 'rules'>
  clock: Clock
  limits: QuotaLimits
  /** Where another source of chance is wanted than the system’s: 64 hex digits. */
  freshSecret?: () => string
}

export function createSteps(parts: StepParts): Stepping['step'] {
  const { reader, recorder, governance, clock } = parts
  const histories = new Histories(reader)
  const store = { reader, writeDocuments: (writes: readonly DocumentWrite[]) => parts.ledger.writeDocuments(writes) }
  const hashFor = keyedHash(store, parts.freshSecret)
  const wordsFor = wordSource(parts.gates)

  const examine = async (call: Call, asked: StepAsked): Promise<Prepaid> => {
    const { caller } = call
    const words = wordsFor(await hashFor(asked.body.dry_run))
    const examined = await governance.examine(matterOf(call, asked))
    const prepared = prepare(asked.body.request, words)
    return { caller, asked, examined, prepared, words, ledger: await ledgerView(reader, caller, prepared.references) }
  }

  return async (call, asked) => {
    const limits = limitsFor(parts.limits, call.caller.authMode)
    const deciding = { reader, governance, histories, clock, limits }
    const once = onlyOnce(() => examine(call, asked))
    if (asked.body.dry_run) {
      const prepaid = await once()
      const decided = await decide(deciding, prepaid)
      return rehearsed(stepAnswer(prepaid, decided, { requestId: call.requestId, review: null }), decided)
    }
    const work = async () => {
      const prepaid = await once()
      return stepDraft({ governance, limits }, prepaid, await decide(deciding, prepaid), call.requestId)
    }
    const own = { key: givenId(call), request: hexDecode(asked.digest)! }
    return recorder.record(call, STEP_OPERATION, work, composeStep, own).catch((error) => {
      throw namedQuota(error)
    })
  }
}

/** Texts are examined once, however often the step is decided again, and not at all for a replay. */
function onlyOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | null = null
  return () => {
    begun ??= work()
    return begun
  }
}

/** A caller's own request id is the key of the step; one that was made up here is not. */
const givenId = ({ headers, requestId }: Call): string | undefined =>
  headers['x-request-id'] === requestId ? requestId : undefined

const matterOf = ({ caller }: Call, { body, approvedDigest }: StepAsked): Matter => ({
  caller,
  operation: STEP_OPERATION,
  surface: 'step',
  text: body.request,
  direction: 'input',
  origin: 'user',
  effect: 'none',
  declared: 'PUBLIC',
  tool: null,
  severity: 0,
  sessionId: body.session_id,
  ownBudget: true,
  reviewId: null,
  inputSha256: approvedDigest,
})
