/** The text gates over the rules in charge: short texts at once, long ones on another thread. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Examination } from '../../domain/decision/examine.ts'
import { ENGINE, loadRules, type RuleDocuments, type Rules, RulesError } from '../../domain/gates/rules.ts'
import { ConfusablesError } from '../../domain/text/confusables.ts'
import { ServiceError } from '../../errors.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { GateRequest, Gates, GatesStatus } from '../contract.ts'
import { type RuleFiles, readRuleFiles, ruleDocuments } from '../rule-files.ts'
import { examineBy, plainRequest, warmUp } from './examination.ts'
import { ExaminationBatcher } from './examination-batcher.ts'
import type { ExaminationFailure } from './failed-examination.ts'
import { GatePool, type PoolSettings, type PoolState } from './gate-pool.ts'

export const RULES_FOLDER = fileURLToPath(new URL('../../../rules/', import.meta.url))

export interface GateOptions extends Partial<PoolSettings> {
  folder: string
  /** Characters of text, context and session together up to which a text is examined where it arrives. */
  inlineUpTo?: number
  /** What becomes of the rules before they examine short texts; the fault tests break them here. */
  prepare?: (rules: Rules) => Rules
}

export interface GateEngine extends Gates {
  /** Null where no rules are in charge. */
  threads(): PoolState | null
  /** Starts a thread where none runs. */
  warm(): void
  /** Once the first thread is ready or has failed; the sentence of its failure. */
  started(): Promise<string | null>
  /** Examines it on this thread, however many others wait. Null where no rules are in charge. */
  tryHere(request: GateRequest): Examination | null
  /** Has a thread examine it however short it is, before all that waits. Null where no rules are in charge. */
  tryThread(request: GateRequest): Promise<Examination | ExaminationFailure> | null
}

/** 3 ms at the median and 9 at worst for hostile text on a busy core, measured; the loop may wait for that. */
const INLINE_UP_TO = 2048
const POOL: PoolSettings = {
  program: new URL('./gate-worker.ts', import.meta.url),
  threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  waiting: 64,
  waitMs: 2000,
  hangMs: 250,
  startMs: 10_000,
}

interface Charge {
  rules: Rules
  pool: GatePool
  batcher: ExaminationBatcher
  files: { name: string; sha256: string }[]
}

/** Never rejects for what lies in the folder: a set that cannot be used leaves the gates not ready and says why. */
export async function openGates({ folder, inlineUpTo = INLINE_UP_TO, ...options }: GateOptions): Promise<GateEngine> {
  const settings: PoolSettings = { ...POOL, ...options }
  const prepare = options.prepare ?? ((rules) => rules)
  let charge: Charge | null = null
  let fault: string | null = null
  /** Of the files that were last found usable or not. */
  let judged: string | null = null
  let closed = false

  const status = (): GatesStatus => ({
    ready: charge !== null,
    reason: charge === null ? fault : null,
    rules_digest: charge?.rules.digest ?? null,
    confusables_digest: charge?.rules.confusables.digest ?? null,
    engine: ENGINE,
    reload_failed: charge === null ? null : fault,
    files: charge?.files ?? [],
  })
  const load = async (): Promise<GatesStatus> => {
    const found = await readRuleFiles(folder)
    if (found.fingerprint === judged) return status()
    const next = usableRules(found)
    if (typeof next === 'string') {
      judged = found.fingerprint
      fault = next
      return status()
    }
    const pool = new GatePool(next.documents, next.rules.digest, settings)
    pool.warm()
    // Rules whose threads do not start would turn away every long text: those in charge stay, and the next reload tries
    // again. At the start there are none to keep, and readiness tells of the threads.
    const unstarted = charge === null ? null : await pool.started()
    if (unstarted !== null || closed) {
      pool.close()
      fault = unstarted
      return status()
    }
    judged = found.fingerprint
    fault = null
    charge?.pool.retire()
    const rules = prepare(next.rules)
    warmUp(rules)
    charge = { rules, pool, batcher: new ExaminationBatcher(rules, pool), files: digestsOf(found) }
    return status()
  }
  const inCharge = (): Charge => {
    if (charge !== null) return charge
    throw new ServiceError('gates_unavailable', 'the gate rules could not be loaded; ask the operator to read readyz')
  }

  await load()
  return {
    status,
    rules: () => charge?.rules ?? null,
    threads: () => charge?.pool.state() ?? null,
    warm: () => charge?.pool.warm(),
    started: async () => charge?.pool.started() ?? null,
    tryHere: (request) => charge && examineBy(charge.rules, plainRequest(request)),
    tryThread: (request) => charge?.pool.attempt(plainRequest(request)) ?? null,
    async examine(asked) {
      const { batcher, pool } = inCharge()
      const request = plainRequest(asked)
      const length = lengthOf(request)
      return length > inlineUpTo ? pool.examine(request) : batcher.examine(request, length)
    },
    reload: singleFlight(load),
    async close() {
      closed = true
      charge?.pool.close()
    },
  }
}

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

const digestsOf = ({ files }: RuleFiles): Charge['files'] =>
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
