/** The text gates over the active rules: short texts at once, long ones on another thread. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Examination } from '../../domain/decision/examine.ts'
import { ENGINE, loadRules, type RuleDocuments, type Rules, RulesError } from '../../domain/gates/rules.ts'
import { ConfusablesError } from '../../domain/text/confusables.ts'
import { ServiceError } from '../../errors.ts'
import { LastGood } from '../../platform/hot-reload.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { GateRequest, Gates, GatesStatus } from '../contract.ts'
import { type RuleFiles, readRuleFiles, ruleDocuments } from '../rule-files.ts'
import { type ExaminationFailure, examineBy, plainRequest, unanswered, warmUp } from './examination.ts'
import { ExaminationBatcher } from './examination-batcher.ts'
import { createGatePool, type GatePool, type PoolSettings, type PoolState } from './gate-pool.ts'

export const RULES_FOLDER = fileURLToPath(new URL('../../../rules/', import.meta.url))

export interface GateOptions extends Partial<PoolSettings> {
  folder: string
  /** Characters of text, context and session together up to which a text is examined where it arrives. */
  inlineUpTo?: number
  /** So many of them may wait at once; more are refused. */
  shortWaiting?: number
  /** How long the gates may take for such a text. */
  inlineDeadlineMs?: number
  /** What becomes of the rules before they examine short texts; the fault tests break them here. */
  prepare?: (rules: Rules) => Rules
}

export interface GateEngine extends Gates {
  /** Null without active rules. */
  threads(): PoolState | null
  /** Starts a thread where none runs. */
  warm(): void
  /** Once the first thread is ready or has failed; the sentence of its failure. */
  started(): Promise<string | null>
  /** Examines it on this thread, however many others wait. Null without active rules. */
  tryHere(request: GateRequest): Examination | null
  /** Has a thread examine it however short it is, before all that waits. Null without active rules. */
  tryThread(request: GateRequest): Promise<Examination | ExaminationFailure> | null
}

/** 3 ms at the median and 9 at worst for hostile text on a busy core, measured; the loop may wait for that. */
const INLINE_UP_TO = 2048
/** What waits behind these would be answered too late to be of use, and would be held in memory until then. */
const SHORT_WAITING = 2048
const POOL: PoolSettings = {
  program: new URL('./gate-worker.ts', import.meta.url),
  threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  waiting: 64,
  waitMs: 2000,
  hangMs: 250,
  startMs: 10_000,
}

interface ActiveRules {
  rules: Rules
  pool: GatePool
  batcher: ExaminationBatcher
  files: { name: string; sha256: string }[]
}

/** Never rejects for what lies in the folder: a set that cannot be used leaves the gates not ready and says why. */
export async function openGates({ folder, inlineUpTo = INLINE_UP_TO, ...options }: GateOptions): Promise<GateEngine> {
  const { inlineDeadlineMs, shortWaiting = SHORT_WAITING } = options
  const settings: PoolSettings = { ...POOL, ...options }
  const prepare = options.prepare ?? ((rules) => rules)
  const sets = new LastGood<ActiveRules>()
  let closed = false

  const status = (): GatesStatus => {
    const { active, fault } = sets
    return {
      ready: active !== null,
      reason: active === null ? fault : null,
      rules_digest: active?.rules.digest ?? null,
      confusables_digest: active?.rules.confusables.digest ?? null,
      engine: ENGINE,
      reload_failed: active === null ? null : fault,
      files: active?.files ?? [],
    }
  }
  const load = async (): Promise<void> => {
    const found = await readRuleFiles(folder)
    if (sets.isJudged(found.fingerprint)) return
    const next = usableRules(found)
    if (typeof next === 'string') {
      sets.refuse(next, found.fingerprint)
      return
    }
    const pool = createGatePool(next.documents, next.rules.digest, settings)
    pool.warm()
    // Rules whose workers do not start would turn away every long text: the active ones stay, and the next reload tries
    // again. At the start there are none to keep, and readiness reports the workers.
    const unstarted = sets.active === null ? null : await pool.started()
    if (unstarted !== null || closed) {
      pool.close()
      if (unstarted !== null) sets.refuse(unstarted)
      return
    }
    sets.active?.pool.retire()
    const rules = prepare(next.rules)
    warmUp(rules)
    const batcher = new ExaminationBatcher(rules, pool, inlineDeadlineMs)
    sets.accept(found.fingerprint, { rules, pool, batcher, files: digestsOf(found) })
  }
  const activeRules = (): ActiveRules => {
    if (sets.active !== null) return sets.active
    throw new ServiceError('gates_unavailable', 'the gate rules could not be loaded; ask the operator to read readyz')
  }

  await load()
  return {
    status,
    rules: () => sets.active?.rules ?? null,
    threads: () => sets.active?.pool.state() ?? null,
    warm: () => sets.active?.pool.warm(),
    started: async () => sets.active?.pool.started() ?? null,
    tryHere: (request) => sets.active && examineBy(sets.active.rules, plainRequest(request), inlineDeadlineMs),
    tryThread: (request) => sets.active?.pool.attempt(plainRequest(request)) ?? null,
    async examine(asked) {
      const { batcher, pool } = activeRules()
      const request = plainRequest(asked)
      const length = lengthOf(request)
      if (length <= inlineUpTo) {
        // What is begun is as much as was let in before.
        if (batcher.waits >= shortWaiting && asked.begun !== true) throw busy()
        return batcher.examine(request, length)
      }
      const outcome = await pool.examine(request)
      if (typeof outcome !== 'string') return outcome
      // A person asked to look at what nobody had time to begin with would have nothing to look at but the load.
      if (outcome === 'queue_full' && asked.begun !== true) throw busy()
      return unanswered(request, outcome)
    },
    reload: singleFlight(async () => {
      await load()
      return status()
    }),
    async close() {
      closed = true
      sets.active?.pool.close()
    },
  }
}

const busy = () => new ServiceError('gates_busy', 'too many texts are waiting for the gates; retry in a second')

/** The sentence of a refused set. Anything else is our own fault and not the set's. */
function usableRules(files: RuleFiles): { documents: RuleDocuments; rules: Rules } | string {
  try {
    const documents = ruleDocuments(files)
    const rules = loadRules(documents)
    for (const gate of ['threat-signature-scan', 'pii-egress-guard'])
      if (!rules.rules.some((rule) => rule.gate === gate)) throw new RulesError(`${gate} has no rule left`)
    return { documents, rules }
  } catch (error) {
    if (error instanceof RulesError || error instanceof ConfusablesError) return error.message
    throw error
  }
}

const digestsOf = ({ files }: RuleFiles): ActiveRules['files'] =>
  Object.values(files).flatMap((file) => ('fault' in file ? [] : [{ name: file.name, sha256: file.sha256 }]))

/** Counted cheaply and never too low: a UTF-16 unit is at most one code point. What cannot be counted has no end. */
function lengthOf({ text, context, sessionTail }: GateRequest): number {
  const own = text.length + (sessionTail?.length ?? 0)
  if (context === undefined || context === null) return own
  try {
    return own + (JSON.stringify(context) ?? '').length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
