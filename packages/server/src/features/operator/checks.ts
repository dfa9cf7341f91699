/** The check behind each node, run for the request that asks. What readiness checks too is taken from the same run, so
 *  that the two cannot disagree. None of these appends or signs. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Telemetry } from '../../adapters/telemetry/contract.ts'
import type { CheckResult, Nodes, Outbox, Ports, ReadinessReport } from '../../ports.ts'
import type { AnyNodeId } from './nodes.ts'
import { newestReceipt } from './receipt-check.ts'
import type { Topology } from './schemas.ts'

export type CheckPorts = Pick<Ports, 'readiness' | 'ledger' | 'upstreams' | 'reviews' | 'clock'> & {
  telemetry: Telemetry
  outbox: Outbox
  nodes: Nodes
  eventStream: EventStream
  m1: { gate(): Promise<ModelGate> }
}

/** `healthy` is null only where the check could not be run, and the reason says why. */
export interface Outcome extends Pick<Topology['core'], 'healthy' | 'reason' | 'evidence'> {
  /** Where the check itself knows since when it is so. */
  since?: string
}

type NodeCheck = (ports: CheckPorts, signal: AbortSignal) => Promise<Outcome>

/** Less than a check may take. */
const GATE_MS = 600

/** An effect that is due for longer than this is stuck. */
const STUCK_MS = 900_000

export const CHECKS: Readonly<Record<AnyNodeId, NodeCheck>> = {
  operator: async ({ readiness }) => judgeWhole(await readiness.report()),
  gate: ({ readiness }) => readComponent(readiness, 'gates'),
  reasoning: async ({ upstreams, m1 }) => judgeReasoning(upstreams.targets(), () => m1.gate()),
  receipts: async ({ readiness, ledger }) =>
    joined(await readComponent(readiness, 'ledger'), await newestReceipt(ledger)),
  telemetry: async ({ telemetry }) => judgeRoundTrip(await telemetry.roundTrip()),
  async mesh({ readiness, nodes }) {
    const [store, seen] = await Promise.all([readComponent(readiness, 'store'), nodes.seen()])
    return { ...store, evidence: { ...store.evidence, nodes: seen.count, nodes_basis: seen.basis } }
  },
  fleet: async ({ outbox, clock }) => judgeOutbox(await outbox.stats(), clock.now()),
  voice: ({ eventStream, clock }, signal) => hearTestEvent(eventStream, clock.now(), signal),
  async community({ readiness, reviews }) {
    const [policy, reviews_waiting] = await Promise.all([readComponent(readiness, 'policy'), reviews.waiting()])
    return { ...policy, evidence: { ...policy.evidence, reviews_waiting } }
  },
}

/** Parts without a node of their own fail here: whatever is wrong anywhere is wrong in the middle. */
function judgeWhole(report: ReadinessReport): Outcome {
  const { ready, draining, blocking, components } = report
  const failed = Object.keys(components).filter((name) => components[name]?.state !== 'OK')
  const degraded = failed.filter((name) => !blocking.includes(name))
  const reasons = [
    ...(draining ? ['shutting down'] : []),
    ...(blocking.length > 0 ? [`blocked by ${blocking.join(', ')}`] : []),
    ...(degraded.length > 0 ? [`degraded by ${degraded.join(', ')}`] : []),
  ]
  const evidence = { ready, draining, blocking_components: blocking, degraded_components: degraded }
  return { healthy: reasons.length === 0, reason: reasons.join('; ') || null, since: lastChange(report), evidence }
}

/** Something is wrong since the first part failed, and nothing is since the last one came right. */
function lastChange({ components, drainingSince, checkedAt }: ReadinessReport): string {
  const sinceOf = (wanted: boolean) =>
    Object.values(components).flatMap(({ state, since }) => ((state === 'OK') === wanted ? [since] : []))
  const wrong = [...sinceOf(false), ...(drainingSince === null ? [] : [drainingSince])].sort()
  return wrong[0] ?? sinceOf(true).sort().at(-1) ?? checkedAt
}

async function readComponent(readiness: Ports['readiness'], name: string): Promise<Outcome> {
  const found: CheckResult | undefined = (await readiness.report()).components[name]
  if (found === undefined) return { healthy: null, reason: `readiness has no check ${name}`, evidence: {} }
  const { state, detail, since } = found
  const healthy = state === 'UNKNOWN' ? null : state === 'OK'
  const why = typeof detail.reason === 'string' ? detail.reason : (detail.code ?? state)
  return { healthy, reason: healthy === true ? null : String(why), since, evidence: { state, ...detail } }
}

function joined(one: Outcome, other: Outcome): Outcome {
  const rank = ({ healthy }: Outcome) => (healthy === false ? 0 : healthy === null ? 1 : 2)
  const worse = rank(one) <= rank(other) ? one : other
  return { ...worse, evidence: { ...one.evidence, ...other.evidence } }
}

interface ModelGate {
  operational_state: string
  checks: { offline_reload: { state: string; reason: string | null; sha256?: string } }
}

/** The model of this build repeats a forward pass whose digest is known; without such a model nothing can be asked. */
async function judgeReasoning(
  targets: ReturnType<Ports['upstreams']['targets']>,
  lookAtGate: () => Promise<ModelGate>,
): Promise<Outcome> {
  const embedded = targets.find((target) => target.embedded)
  const absent = embedded === undefined ? 'MODEL_ABSENT' : embedded.absent
  if (absent !== null) {
    const evidence = { local_model: embedded?.id ?? null, absent }
    return { healthy: null, reason: 'no local model with a known answer is part of this build', evidence }
  }
  // Its thread starts when it is first asked, which takes longer than a check may: the next one finds it.
  const gate = await Promise.race([lookAtGate(), pause(GATE_MS, null, { ref: false })])
  if (gate === null) {
    const evidence = { local_model: embedded!.id, operational_state: null }
    return { healthy: null, reason: 'the local model is being loaded', evidence }
  }
  const { operational_state, checks } = gate
  const { state, reason, sha256 } = checks.offline_reload
  const evidence = {
    local_model: embedded!.id,
    operational_state,
    offline_reload: state,
    logits_sha256: sha256 ?? null,
  }
  const healthy = operational_state === 'READY_EXPERIMENTAL'
  return { healthy, reason: healthy ? null : (reason ?? `the gate of the model is ${operational_state}`), evidence }
}

function judgeRoundTrip({ afterHop, inReply }: { afterHop: boolean; inReply: boolean }): Outcome {
  const healthy = afterHop && inReply
  const reason = healthy ? null : 'the span opened in this request was not found again'
  return { healthy, reason, evidence: { found_after_hop: afterHop, found_in_reply: inReply } }
}

function judgeOutbox(stats: Awaited<ReturnType<Outbox['stats']>>, now: number): Outcome {
  const { pending, claimed, deadLetters, oldestDueAt } = stats
  const overdue = oldestDueAt === null ? null : Math.max(0, now - oldestDueAt)
  const evidence = {
    pending,
    claimed,
    dead_letters: deadLetters,
    oldest_due_seconds: overdue === null ? null : Math.round(overdue / 1000),
  }
  if (deadLetters > 0) return { healthy: false, reason: `${deadLetters} effects were given up`, evidence }
  if (overdue !== null && overdue > STUCK_MS) return { healthy: false, reason: 'an effect is long overdue', evidence }
  return { healthy: true, reason: null, evidence }
}

/** Beyond any index a ledger reaches, and exact as a number with a time added to it. */
const BEYOND = 2 ** 52

/** Subscribes in process to the receipts that clients get, after the given index. It ends when `signal` aborts. */
export type EventStream = (after: number, signal: AbortSignal) => Promise<AsyncIterable<string | Uint8Array>>

/** Whether the event stream delivers. A subscriber that claims to know an index beyond the ledger gets an event of
 *  its own kind that says so: it is no receipt, it goes to no other client, and it repeats the number that only this check knows. */
async function hearTestEvent(open: EventStream, now: number, signal: AbortSignal): Promise<Outcome> {
  const known = BEYOND + now
  const leaving = new AbortController()
  const stream = await open(known, AbortSignal.any([signal, leaving.signal]))
  try {
    for await (const chunk of stream) return heard(String(chunk), known)
    return heard('', known)
  } finally {
    leaving.abort()
  }
}

function heard(chunk: string, known: number): Outcome {
  const event = /^event: (\w+)$/m.exec(chunk)?.[1] ?? null
  const healthy = event === 'reset' && chunk.includes(`"known":${known}`)
  const reason = healthy ? null : 'the subscriber did not get the test event'
  return { healthy, reason, evidence: { event, repeated_the_number: healthy } }
}
