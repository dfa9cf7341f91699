/** Governed stepping: a request is examined, a session charged, a decision made and recorded with its effects in one
 *  transaction. */
import { hexDecode } from '@orch/core'
import type { Rules } from '../../domain/gates/rules.ts'
import type { Partition } from '../../domain/partition.ts'
import { type CheckedLedger, receiptChecks } from '../../domain/receipt-checks.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { ServiceError } from '../../errors.ts'
import type { DecisionRequest, Gates } from '../../governance/contract.ts'
import type { CheckReceipt, DocumentWrite, LedgerReader } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import type { Recorder } from '../../ports.ts'
import { STEP_OPERATION } from './approvals.ts'
import type { StepAsked, Stepping } from './contract.ts'
import { isDaySpent } from './day-budget.ts'
import { type DecidingParts, decide, type PreparedStep } from './decide-step.ts'
import { type StepLexicon, stepLexicon } from './experts/lexicon.ts'
import type { KeyedHash } from './experts/novelty.ts'
import { prepare, type Words } from './experts/prepared.ts'
import type { Reference } from './experts/references.ts'
import type { LedgerView } from './experts/retriever.ts'
import { limitsFor, namedQuota } from './quotas.ts'
import { composeStep, rehearsed, stepAnswer } from './step-answer.ts'
import { stepDraft } from './step-draft.ts'
import { Histories } from './store/history.ts'
import { keyedHash } from './store/keyed-hash.ts'
import { readSession } from './store/session-documents.ts'
import { storeTime } from './store/store-reader.ts'

interface StepParts extends Omit<DecidingParts, 'histories'> {
  ledger: CheckedLedger
  recorder: Recorder
  gates: Pick<Gates, 'rules'>
  /** Where another source of chance is wanted than the system's: 64 hex digits. */
  freshSecret?: () => string
}

export function createSteps(parts: StepParts): Stepping['step'] {
  const { reader, recorder, governance, clock } = parts
  const check = receiptChecks(parts.ledger, reader)
  const histories = new Histories(reader, check)
  const storeNow = storeTime(reader, clock)
  const hashing = keyedHash(reader, parts.freshSecret)
  const wordsFor = wordSource(parts.gates)

  const examine = async (call: Call, asked: StepAsked): Promise<Examined> => {
    const { caller } = call
    const { hash, writes } = await hashing()
    const words = wordsFor(hash)
    const examined = await governance.examine(toDecisionRequest(call, asked))
    const prepared = prepare(asked.body.request, words)
    const ledger = await ledgerView(reader, check, caller, prepared.references)
    return { preparedStep: { caller, asked, examined, prepared, words, ledger }, writes }
  }

  return async (call, asked) => {
    const limits = limitsFor(parts.limits, call.caller.authMode)
    const deciding = { ...parts, histories, limits }
    const once = onlyOnce(() => examine(call, asked))
    if (asked.body.dry_run) {
      const { preparedStep } = await once()
      const decided = await decide(deciding, preparedStep)
      return rehearsed(stepAnswer(preparedStep, decided, { requestId: call.requestId, review: null }), decided)
    }
    const own = { key: givenId(call), request: hexDecode(asked.digest)! }
    const keepsAnswer = (call.headers['idempotency-key'] ?? own.key) !== undefined
    const work = async () => {
      const { preparedStep, writes } = await once()
      const decided = await decide(deciding, preparedStep)
      const drafting = { governance, histories, limits, keepsAnswer, dueAt: await storeNow() }
      const draft = await stepDraft(drafting, preparedStep, decided, call.requestId)
      return { ...draft, documents: [...(draft.documents ?? []), ...writes] }
    }
    const record = () => recorder.record(call, STEP_OPERATION, { decide: work, toReply: composeStep, identity: own })
    // What the day has left only shrinks: decided again, the step fits or is held, and asks for nothing that is refused.
    const recordWithinDay = () => record().catch((error) => (isDaySpent(error) ? record() : Promise.reject(error)))
    const session = { caller: call.caller, sessionId: asked.body.session_id }
    return governance.inTurn(session, call, recordWithinDay).catch((error) => {
      throw namedQuota(error)
    })
  }
}

interface Examined {
  preparedStep: PreparedStep
  writes: readonly DocumentWrite[]
}

/** Texts are examined once, however often the step is decided again, and not at all for a replay; but again while their
 *  words are hashed under a key that another step may have been faster to bring. */
function onlyOnce(work: () => Promise<Examined>): () => Promise<Examined> {
  let begun: Promise<Examined> | null = null
  return async () => {
    if (begun === null || (await begun).writes.length > 0) begun = work()
    return begun
  }
}

/** A caller's own request id is the key of the step; one that was made up here is not. */
const givenId = ({ headers, requestId }: Call): string | undefined =>
  headers['x-request-id'] === requestId ? requestId : undefined

const toDecisionRequest = ({ caller }: Call, { body, approvedDigest }: StepAsked): DecisionRequest => ({
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

/** The words the experts read by, for the rules in charge. The table of verbs is built once for a set of rules. */
const lexicons = new WeakMap<Rules, StepLexicon>()

function wordSource(gates: Pick<Gates, 'rules'>): (hash: KeyedHash) => Words {
  return (hash) => {
    const rules = gates.rules()
    if (rules === null) throw new ServiceError('gates_unavailable', 'the gates did not load; read /api/readyz')
    const lexicon = lexicons.get(rules) ?? stepLexicon(rules.confusables)
    lexicons.set(rules, lexicon)
    return { table: rules.confusables, lexicon, hash }
  }
}

/** What the ledger says about the references of one request. Foreign receipts and sessions are not there. */
async function ledgerView(
  reader: LedgerReader,
  check: CheckReceipt,
  owner: Partition,
  references: readonly Reference[],
): Promise<LedgerView> {
  const valuesOf = (wanted: Reference['kind']): string[] =>
    references.filter(({ kind }) => kind === wanted).map(({ value }) => value)
  const receipts = new Map<string, 'verified' | 'failed'>()
  for (const digest of valuesOf('digest')) {
    const row = await reader.byDigest(digest)
    if (row?.ns !== owner.namespace || bodyOf(row)?.actor.owner !== owner.owner) continue
    const { digest: computed, signature } = await check(row)
    receipts.set(digest, computed === digest && signature !== false ? 'verified' : 'failed')
  }
  const sessions = new Set<string>()
  for (const sessionId of valuesOf('session'))
    if ((await readSession(reader, { ...owner, sessionId })) !== null) sessions.add(sessionId)
  return { receipts, sessions }
}
