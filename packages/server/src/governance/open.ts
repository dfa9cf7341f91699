/** The part of the composition root that puts the decision pipeline together. */

import { fileURLToPath } from 'node:url'
import type { Outbound } from '../adapters/outbound/contract.ts'
import { observeGates, observeGovernance, observePolicies } from '../adapters/telemetry/instrumentation/decisions.ts'
import type { CallLog } from '../adapters/telemetry/request-metrics.ts'
import type { WorkSeries } from '../adapters/telemetry/work-metrics.ts'
import type { Config } from '../config/config.ts'
import { EXAMPLE_REQUESTS } from '../domain/policy/requests.ts'
import { receiptChecks } from '../domain/receipt-checks.ts'
import { TOOL_EFFECTS } from '../domain/tools/effects.ts'
import type { CheckReceipt, LedgerReader } from '../ledger/contract.ts'
import { createBackground } from '../platform/background.ts'
import { isoNow } from '../platform/clock.ts'
import { hotReload, type ReloadableSet } from '../platform/hot-reload.ts'
import type { Clock, Ledger, Log, Tracing } from '../ports.ts'
import { governanceChecks } from './checks.ts'
import type { Policies, StepReviewed } from './contract.ts'
import { createGovernance } from './pipeline.ts'
import { openCedar } from './policy/cedar.ts'
import { policiesOf } from './policy/policies.ts'
import { type PolicyPlace, placeText, policySetState } from './policy/policy-files.ts'
import { createReviewQueue } from './reviews/review-queue.ts'
import { reviewWebhook } from './reviews/webhook.ts'
import { readRuleFiles } from './rule-files.ts'
import { activeSessions, idleBudgets } from './session-budget.ts'
import { DecisionCounters } from './tallies.ts'
import { type GateEngine, type GateOptions, openGates, RULES_FOLDER } from './workers/gate-engine.ts'

const POLICIES = fileURLToPath(new URL('../../../../policies/', import.meta.url))
const SWEEP_MS = 30_000
/** A set that is spoiled has to show within five seconds. */
const LOOK_MS = 2_000
const MAX_REMOVED = 100

/** Where the rules and policies lie; the fault tests hand over spoiled ones. */
export interface GovernanceFolders {
  rules: string
  policies: string
  /** The program of the gate workers and their patience, where they are not the shipped ones: tests on a loaded machine
   *  hand over more. */
  gatePool?: Omit<GateOptions, 'folder'>
  /** An engine that is open already; whoever opened it closes it. */
  gates?: GateEngine
}

export const SHIPPED: GovernanceFolders = { rules: RULES_FOLDER, policies: POLICIES }

interface Needs {
  ledger: Ledger
  log: Log
  clock: Clock
  tracing: Tracing
  series: WorkSeries
  calls: CallLog
  outbound: Pick<Outbound, 'exchange'>
  /** What a verdict on a step's review changes in its session. */
  stepReviewed(reader: LedgerReader, check: CheckReceipt): StepReviewed
}

export async function openGovernance(
  config: Config,
  { ledger, log, stepReviewed, outbound, ...meters }: Needs,
  folders: GovernanceFolders = SHIPPED,
) {
  const { clock, tracing } = meters
  const { rules, gatePool } = folders
  const gates = folders.gates ?? (await openGates({ folder: rules, ...gatePool }))
  const builtInTools = Object.keys(TOOL_EFFECTS)
  const place = { folder: folders.policies, tools: config.tools, builtInTools, asked: EXAMPLE_REQUESTS }
  const policies = policiesOf(() => openCedar(place))
  // Now, and not for the first who asks for a decision.
  policies.reload()
  const tallies = new DecisionCounters(isoNow(clock))
  const check = receiptChecks(ledger, ledger.reader)
  const { sessionRiskBudget, reviewTtlSeconds, reviewFourEyes: fourEyes, baseUrl } = config
  const closing = new AbortController()
  const exchange = outbound.exchange('review-webhook')
  const notify = reviewWebhook(webhookSettings(config), { exchange, log, clock, signal: closing.signal })
  const observed = { gates: observeGates(gates, tracing), policies: observePolicies(policies, tracing) }
  const governance = createGovernance(
    { ledger, check, ...observed, clock, tallies, notify },
    { sessionRiskBudget, reviewTtlSeconds, fourEyes, baseUrl },
  )
  const settled = stepReviewed(ledger.reader, check)
  const reviews = createReviewQueue({ ledger, check, clock, fourEyes, stepReviewed: settled })
  const background = createBackground(clock, log)
  background.every('review-expiry', SWEEP_MS, () => reviews.sweep())
  background.every('idle-budgets', SWEEP_MS, async () => {
    const idle = await idleBudgets({ reader: ledger.reader, check }, clock.now(), MAX_REMOVED)
    if (idle.length > 0) await ledger.writeDocuments(idle)
  })
  const sets = watchedSets(rules, place, gates, policies)
  const report = logged(log)
  const unusable = sets.filter((set) => set.active().digest === null)
  for (const set of unusable) report(set, set.active())
  const looks = sets.map((set) => hotReload(set, report))
  background.every('governance-files', LOOK_MS, async () => {
    await Promise.all(looks.map((look) => look()))
  })
  return {
    ports: { governance: observeGovernance(governance, meters), gates, policies, reviews, background },
    /** What this start could not use, why, and where it lies. */
    unusableSets: unusable.map(({ name, where, active }) => `${name}: ${active().reload_failed} (${where})`),
    checks: governanceChecks(gates, policies, clock),
    /** Once the gates can be asked about long texts, or cannot and say so. */
    started: async () => void (await gates.started()),
    sessions: () => activeSessions(ledger.reader),
    async close() {
      closing.abort()
      background.stop()
      if (folders.gates === undefined) await gates.close()
    },
  }
}

const webhookSettings = ({ reviewWebhook: url, webhookSecret: secret, webhookFormat: format }: Config) =>
  url === null ? null : { url, secret, format }

const watchedSets = (rules: string, place: PolicyPlace, gates: GateEngine, policies: Policies): ReloadableSet[] => [
  {
    name: 'gate rules',
    where: `in ${rules}`,
    onDisk: async () => (await readRuleFiles(rules)).fingerprint,
    reload: () => gates.reload(),
    active: () => activeSet(gates.status(), gates.status().rules_digest),
  },
  {
    name: 'policies',
    where: placeText(place),
    onDisk: async () => policySetState(place),
    reload: async () => policies.reload(),
    active: () => activeSet(policies.status(), policies.status().policy_digest),
  },
]

const activeSet = (
  { reason, reload_failed }: { reason: string | null; reload_failed: string | null },
  digest: string | null,
) => ({
  digest,
  reload_failed: reload_failed ?? reason,
})

const logged =
  (log: Log): Parameters<typeof hotReload>[1] =>
  ({ name: set, where }, { digest, reload_failed }) => {
    if (reload_failed === null) log.info({ set, digest }, 'a changed set is active')
    else if (digest === null)
      log.error({ set, where, reload_failed }, 'a set cannot be used: nothing is decided until its files are repaired')
    else
      log.error({ set, where, digest, reload_failed }, 'a changed set cannot be used; the last good one stays active')
  }
