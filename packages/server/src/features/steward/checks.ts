/** What each check of the audit reads. None of them writes, asks a provider or calls a model. */
import { RegistryError, readRegistry } from '@orch/core'
import { type FormulaRun, type RegistryFile, verifiedKernel } from '../../domain/formulas.ts'
import { brokenSentence, walkedSentence } from '../../domain/organs.ts'
import { chainWindow } from '../../domain/receipts/chain-window.ts'
import { checkSeal, readSealed } from '../../platform/sealed-file.ts'
import type { ArtifactName, Ports, Runtime, ServedCalls } from '../../ports.ts'
import type { M1 } from '../m1/contract.ts'
import { type AuditCheck, type CheckId, type Finding, judged } from './check.ts'
import type { RequestWindow } from './request-window.ts'
import { ROUTES_SCHEMA, type Route, routeInventory, SpecifiedRoutes } from './routes.ts'
import { runSelfTests, type SelfTest } from './self-tests.ts'

export interface AuditNeeds extends Pick<Ports, 'ledger' | 'artifacts' | 'readings' | 'clock'> {
  /** Every route that the router answers now. */
  servedRoutes(): readonly Route[]
  formulaRun(): Promise<FormulaRun>
  selfTests(): readonly SelfTest[]
  freeBytes(): Promise<{ free: number; least: number }>
  runtime: Pick<Runtime, 'eventLoopDelayP99' | 'eventLoopLateMs'>
  calls: Pick<ServedCalls, 'series'>
  requests: RequestWindow
  securityLoop: { run(): Promise<LockfileRun> }
  m1: Pick<M1, 'files'>
}

/** The security loop as far as the audit looks at it. */
interface LockfileRun {
  label: string
  reason: string | null
  components: number | null
  advisories: number
  findings: readonly { advisory_id: string; package: string; version: string; dev: boolean; state: string }[]
  lockfile_sha256: string | null
  snapshot_date: string
  note: string
}

const MAX_LINKS = 1_000
/** Chains that ended before the part that was walked; each is looked at by itself. */
const MAX_ENDED_CHAINS = 8
const MAX_LOOP_DELAY_MS = 200
const MAX_LATE_MS = 30_000
const [WARN_SHARE, FAIL_SHARE, MIN_REQUESTS] = [0.01, 0.05, 20]

type Check = (needs: AuditNeeds, signal: AbortSignal) => Promise<Finding>

const CHECKS: Record<CheckId, Check> = {
  async chain_rewalk({ ledger }, signal) {
    const audit = await ledger.walk()
    const { walk, broken } = audit
    const ended = audit.chains.filter(({ head_index }) => head_index >= 0 && head_index < walk.from_index)
    const old = await walkEnded(ledger, ended, signal)
    const observed = { walk, chains: audit.chains.length, said: walkedSentence(audit), ended_before_the_walk: old }
    const expected = 'the last 1000 links of every chain hold, in both hash families'
    // Where it broke is everybody's to know, in whose chain is not.
    const breaks = [
      ...(broken === null ? [] : [`node_index ${broken.node_index ?? 'unknown'}: ${broken.reason}`]),
      ...old.broken.map((index) => `node_index ${index}: link`),
    ]
    if (broken !== null) Object.assign(observed, { broken: brokenSentence(broken), broken_at: broken.node_index })
    const found = { ...judged(expected, observed, breaks), readAt: walk.walked_at }
    const unwalked = ended.length - old.walked
    if (breaks.length > 0 || unwalked === 0) return found
    return { ...found, state: 'WARN', subjects: ['chains that ended before the walked part'] }
  },

  async route_inventory({ artifacts, servedRoutes }) {
    const specified = readSealed(await artifacts.text('specified-routes'), ROUTES_SCHEMA, SpecifiedRoutes)
    if (!specified.ok) throw new Error(specified.fault)
    return routeInventory(specified.value, servedRoutes())
  },

  async locked_set({ artifacts, formulaRun }) {
    const run = await formulaRun()
    const { verified, checks, registry, reason } = verifiedKernel(await artifacts.text('formula-registry'), run)
    const { witness_errors, agreed_lock_digest } = registry
    const witnesses = registry.witnesses.map(({ source }) => source)
    const observed = { verified, checks, witnesses, witness_errors, agreed_lock_digest, reason }
    const failed = Object.entries(checks).filter(([, holds]) => !holds)
    const names = failed.map(([name]) => name)
    return { ...judged('every witness names the same eight formulas', observed, names), readAt: run.checked_at }
  },

  async formula_checks({ formulaRun }) {
    const { checks, semantics, counterexample, lambdaUse, checked_at } = await formulaRun()
    const failed = [
      ...checks.filter(({ passed }) => !passed).map(({ formula_id }) => formula_id),
      ...semantics.filter(({ passed }) => !passed).map(({ claim_id }) => claim_id),
      ...(counterexample.stands ? [] : ['F23 counterexample']),
      ...(lambdaUse.passed ? [] : ['lambda']),
    ]
    const cases = checks.reduce((sum, { checked_cases }) => sum + checked_cases, 0)
    const observed = { formulas: checks.length, cases, claims: semantics.length, checked_at, failed }
    return { ...judged('no property of a formula has a counterexample', observed, failed), readAt: checked_at }
  },

  self_tests: ({ selfTests }) => runSelfTests(selfTests()),

  async artifacts({ artifacts, m1 }) {
    const sealed = await Promise.all(SEALED.map(async (name) => ({ name, ...checkSeal(await artifacts.text(name)) })))
    sealed.push({ name: 'formula-registry', ...registrySeal(await artifacts.text('formula-registry')) })
    const model = (await m1.files()).map((file) => ({ ...file, name: `m1 ${file.name}` }))
    const others = await Promise.all(UNSEALED.map(async (name) => ({ name, ...(await artifacts.digest(name)) })))
    const wrong = [
      ...sealed.filter(({ fault }) => fault !== null),
      ...model.filter(({ state }) => state === 'BLOCKED'),
    ].map(({ name }) => name)
    const listed = others.map((one) => ({ name: one.name, sha256: one.present ? one.sha256 : null }))
    const absent = [
      ...others.flatMap((one) => (one.present ? [] : [{ name: one.name, reason: one.reason }])),
      ...model.flatMap(({ name, state, reason }) => (state === 'UNAVAILABLE' ? [{ name, reason }] : [])),
    ]
    const expected = 'every data file whose digest is stated has it; what is not part of this build is listed as absent'
    return judged(expected, { sealed, model, without_a_stated_digest: listed, absent }, wrong)
  },

  async ledger_durability({ ledger }) {
    const { durability, readOnly, rolledBack, broken, guard, size } = ledger.state()
    const observed = { mode: durability, receipts: size, read_only: readOnly !== null, rolled_back: rolledBack, guard }
    const expected = 'the ledger is durable, writable and continues its newest checkpoint'
    const grave = [...(readOnly === null && !broken ? [] : ['read_only']), ...(rolledBack ? ['rolled_back'] : [])]
    if (grave.length > 0) return judged(expected, observed, grave)
    const weak = [
      ...(durability === 'EPHEMERAL' ? ['EPHEMERAL'] : []),
      ...(guard.fault === null ? [] : ['guard unavailable']),
    ]
    return judged(expected, observed, weak, 'WARN')
  },

  async disk_free({ freeBytes }) {
    const { free, least } = await freeBytes()
    const observed = { free_bytes: free, least_bytes: least }
    const expected = 'twice as much room as must be free'
    if (free < least) return judged(expected, observed, ['free space'])
    return judged(expected, observed, free < 2 * least ? ['free space'] : [], 'WARN')
  },

  async event_loop({ runtime }) {
    const [p99, late] = [runtime.eventLoopDelayP99(), runtime.eventLoopLateMs()]
    const observed = { delay_ms_p99: p99, late_for_ms: Math.round(late), window_seconds: 60 }
    const expected = `the event loop is at most ${MAX_LOOP_DELAY_MS} ms late, by the 99th percentile of the last minute`
    if (late >= MAX_LATE_MS) return judged(expected, observed, ['event loop'])
    return judged(expected, observed, p99 > MAX_LOOP_DELAY_MS ? ['event loop'] : [], 'WARN')
  },

  async error_rate({ calls, requests, clock }) {
    const { count, errors, seconds } = requests.read(clock.monotonic(), totalsOf(calls))
    const share = count === 0 ? null : Math.round((errors / count) * 1e6) / 1e6
    const observed = { requests: count, server_errors: errors, share, window_seconds: seconds }
    const expected = `at most ${WARN_SHARE} of the requests of five minutes end in a 5xx, once there are ${MIN_REQUESTS}`
    const isOver = count >= MIN_REQUESTS && share !== null && share > WARN_SHARE
    return judged(expected, observed, isOver ? ['5xx'] : [], (share ?? 0) > FAIL_SHARE ? 'FAIL' : 'WARN')
  },

  async caches({ readings }) {
    const sources = readings.sources()
    const { age_seconds, stale, served_from } = readings.snapshot()
    const failing = sources.filter(({ end, resting }) => end === 'failed' || resting).map(({ provider }) => provider)
    const isStale = sources.length > 0 && stale
    const observed = { sources: sources.length, failing, oldest_age_seconds: age_seconds, stale: isStale, served_from }
    const subjects = [...new Set(failing), ...(isStale ? ['stale readings'] : [])]
    return judged(
      'no configured source fails, and no reading is older than three intervals',
      observed,
      subjects,
      'WARN',
    )
  },

  async lockfile({ securityLoop }) {
    const run = await securityLoop.run()
    if (run.label === 'UNAVAILABLE') throw new Error(run.reason ?? 'there is no lockfile')
    const { components, advisories, findings, lockfile_sha256, snapshot_date, note } = run
    const observed = { components, advisories, findings: findings.length, lockfile_sha256, snapshot_date, note }
    const subjects = findings.map((one) => `${one.advisory_id} ${one.package}@${one.version}`)
    const state = findings.some(({ dev }) => !dev) ? 'FAIL' : 'WARN'
    const expected = 'no component is named by an advisory of the committed sample'
    return { ...judged(expected, observed, [...new Set(subjects)], state), sample: true }
  },
}

/** Files that state the digest of their own payload, and those that state none. */
const SEALED: readonly ArtifactName[] = [
  ...(['advisories', 'frontier-projects', 'specified-routes'] as const),
  ...(['materials-formation', 'materials-elements', 'pinn-bench'] as const),
]
const UNSEALED: readonly ArtifactName[] = [
  ...(['chain-of-title-policy', 'lockfile', 'bench-results', 'evidence-golden-vectors'] as const),
  ...(['evidence-decision-vectors', 'evidence-claim-vectors'] as const),
]

/** The registry states its digest in a form of its own. */
function registrySeal(file: RegistryFile): ReturnType<typeof checkSeal> {
  if (!file.present) return { sha256: null, found: null, fault: file.reason }
  try {
    const { value } = readRegistry(file.text).digest
    return { sha256: value, found: value, fault: null }
  } catch (error) {
    if (error instanceof RegistryError) return { sha256: null, found: null, fault: error.message }
    throw error
  }
}

export const checksOf = (needs: AuditNeeds): AuditCheck[] =>
  Object.entries(CHECKS).map(([id, run]) => ({ id: id as CheckId, run: (signal) => run(needs, signal) }))

export function totalsOf(calls: Pick<ServedCalls, 'series'>): { count: number; errors: number } {
  const series = calls.series()
  const sum = (of: (one: (typeof series)[number]) => number) => series.reduce((total, one) => total + of(one), 0)
  return { count: sum(({ count }) => count), errors: sum(({ errors }) => errors) }
}

type EndedChain = Awaited<ReturnType<Ports['ledger']['walk']>>['chains'][number]

/** One chain after the other, and other work in between: this is done where requests are served. Signatures are the
 *  walk's to check. A break is told to the ledger, like any other. */
async function walkEnded(ledger: Ports['ledger'], chains: readonly EndedChain[], signal: AbortSignal) {
  const { reader } = ledger
  const unsigned = {
    chains: () => reader.chains(),
    keys: async () => [],
    chainRange: async (ns: string, chain: string, from: number, limit: number) =>
      (await reader.chainRange(ns, chain, from, limit)).map((row) => ({ ...row, signature: null })),
  }
  const found = { chains: chains.length, walked: 0, broken: [] as number[] }
  for (const chain of chains.slice(0, MAX_ENDED_CHAINS)) {
    if (signal.aborted) break
    const { check, rows } = await chainWindow(unsigned, chain, MAX_LINKS)
    found.walked += 1
    const at = check.first_break_seq
    if (at !== null) {
      const nodeIndex = rows.find(({ seq }) => seq === at)?.nodeIndex ?? null
      found.broken.push(nodeIndex ?? chain.head_index)
      ledger.reportBreak('a link of a chain does not hold', { nodeIndex, ns: chain.ns, chain: chain.chain, seq: at })
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return found
}
