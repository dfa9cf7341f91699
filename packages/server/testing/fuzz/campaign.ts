// A whole run: reads the description of the service, learns ids that exist there, sends the requests of a seed sixteen
// at a time and makes every finding small.

import { deliver, isJson, type Outcome, openWire, type Wire } from './deliver.ts'
import { type Document, type Json, type Target, targetsOf } from './description.ts'
import { type Fault, faultsOf, prepare, type Rules } from './judge.ts'
import { randomOf } from './random.ts'
import { reduced, reproduction } from './reduce.ts'
import { type Fuzzed, plainRequest, requestOf, weighted } from './requests.ts'
import type { Harvest } from './valid-values.ts'

interface Campaign extends Rules {
  port: number
  seed: number
  requests: number
  /** The first number; one request of a run is told again by its number alone. */
  from?: number
  concurrency?: number
  /** When the client gives up. Longer than what counts as slow, so that a late answer is told from none. */
  patienceMs?: number
}

interface Finding extends Fault {
  operation: string
  number: number
  /** How many requests of the run met the same fault of the same operation. */
  times: number
  /** Milliseconds of the small one, sent again with nothing beside it. */
  alone: number
  reproduce: string
}

export interface Report {
  seed: number
  sent: number
  operations: number
  statuses: Record<string, number>
  kinds: Record<string, number>
  slowestMs: number
  slowest: string
  findings: Finding[]
}

export async function runCampaign(campaign: Campaign): Promise<Report> {
  const { port, seed, requests, from = 0, concurrency = 16, patienceMs = campaign.slowMs + 10_000 } = campaign
  const wire = openWire(port, patienceMs, concurrency)
  try {
    const targets = targetsOf((await documentOf(port)) as Document)
    prepare(targets)
    const harvest = await gather(targets, wire)
    const lots = weighted(targets)
    const tally = newTally(seed)
    let next = from
    const work = async () => {
      while (next < from + requests) {
        const fuzzed = requestOf(seed, next++, lots, harvest)
        count(tally, fuzzed, await deliver(fuzzed, wire), campaign)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    return await reportOf(tally, wire, campaign)
  } finally {
    wire.agent.destroy()
  }
}

const DESCRIPTION = '/openapi.json'

async function documentOf(port: number): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${port}${DESCRIPTION}`)).json()
}

/** Calls every operation twice as it is described and keeps what stands in the replies, by the name of the field. */
async function gather(targets: readonly Target[], wire: Wire): Promise<Harvest> {
  const seen = new Map<string, Json[]>()
  const order = [...targets].sort((a, b) => Number(b.body !== null) - Number(a.body !== null))
  for (let number = 0; number < 2 * order.length; number += 1) {
    const target = order[number % order.length] as Target
    // The description describes fields under their names; it does not hold any.
    if (target.streams || target.path === DESCRIPTION) continue
    const fuzzed = plainRequest(number, 'valid', target, randomOf(0, number), seen)
    const { status, text, headers } = await deliver(fuzzed, wire)
    if (status === 200 && isJson(headers)) keep(JSON.parse(text) as Json, seen)
  }
  return seen
}

const MAX_SAMPLES = 12
/** Names under which paths and bodies ask for what replies tell. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  digest: ['receipt_id', 'receipt_hash', 'id'],
  dsse: ['envelope'],
  next_cursor: ['cursor'],
  chain: ['organ'],
}

function keep(value: Json, seen: Map<string, Json[]>, depth = 0): void {
  if (value === null || typeof value !== 'object' || depth > 8) return
  for (const [name, item] of Object.entries(value).slice(0, 64)) {
    if (item === null) continue
    if (!Array.isArray(value))
      for (const key of [name, ...(ASKED[name] ?? [])]) {
        const known = seen.get(key) ?? []
        if (known.length < MAX_SAMPLES && JSON.stringify(item).length < 16_384) seen.set(key, [...known, item])
      }
    keep(item, seen, depth + 1)
  }
}

interface Tally extends Omit<Report, 'findings'> {
  reached: Set<string>
  found: Map<string, { fault: Fault; fuzzed: Fuzzed; times: number }>
}

const newTally = (seed: number): Tally => ({
  seed,
  sent: 0,
  operations: 0,
  statuses: {},
  kinds: {},
  slowestMs: 0,
  slowest: '',
  reached: new Set(),
  found: new Map(),
})

function count(tally: Tally, fuzzed: Fuzzed, outcome: Outcome, rules: Rules): void {
  const status = String(outcome.status ?? 'none')
  tally.sent += 1
  tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
  tally.kinds[fuzzed.kind] = (tally.kinds[fuzzed.kind] ?? 0) + 1
  tally.reached.add(fuzzed.target.id)
  if (outcome.ms > tally.slowestMs) {
    tally.slowestMs = Math.round(outcome.ms)
    tally.slowest = `${fuzzed.target.id} (${fuzzed.number})`
  }
  for (const fault of faultsOf(fuzzed, outcome, rules)) note(tally, fault, fuzzed)
}

function note({ found }: Tally, fault: Fault, fuzzed: Fuzzed): void {
  // Milliseconds differ every time; what else is told differs where the fault does.
  const what = fault.kind === 'slow' ? '' : fault.detail.slice(0, 40)
  const key = `${fault.kind} ${fuzzed.target.id} ${what}`
  const known = found.get(key)
  if (known) known.times += 1
  else found.set(key, { fault, fuzzed, times: 1 })
}

async function reportOf(tally: Tally, wire: Wire, rules: Rules): Promise<Report> {
  const { found, reached, ...counted } = tally
  const findings: Finding[] = []
  for (const { fault, fuzzed, times } of found.values()) {
    const small = await reduced(fuzzed, async (smaller) =>
      faultsOf(smaller, await deliver(smaller, wire), rules).some(({ kind }) => kind === fault.kind),
    )
    const { number, target } = fuzzed
    // Sent once more with nothing beside it: a busy machine is told from a slow operation by this.
    const alone = Math.round((await deliver(small, wire)).ms)
    findings.push({ ...fault, alone, operation: target.id, number, times, reproduce: reproduction(small, wire.port) })
  }
  return { ...counted, operations: reached.size, findings }
}

export function describeReport({
  seed,
  sent,
  operations,
  statuses,
  kinds,
  slowestMs,
  slowest,
  findings,
}: Report): string {
  const counts = (of: Record<string, number>) =>
    Object.entries(of)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, times]) => `${name} ${times}`)
      .join(', ')
  return [
    `seed ${seed}: ${sent} requests over ${operations} operations (${counts(kinds)})`,
    `answers: ${counts(statuses)}; slowest ${slowestMs} ms, ${slowest}`,
    ...findings.map(
      ({ kind, operation, number, times, alone, detail, reproduce }) =>
        `FOUND ${kind}: ${operation}, request ${number}, ${times} times, alone ${alone} ms: ${detail}\n  ${shortened(reproduce)}`,
    ),
  ].join('\n')
}

const shortened = (text: string): string =>
  text.length <= 2000
    ? text
    : `${text.slice(0, 2000)}... (${text.length} characters; its seed and number make it again)`
