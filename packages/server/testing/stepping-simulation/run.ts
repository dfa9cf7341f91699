/** A seed from beginning to end: happenings, then peace, then the books are compared and one record is spoiled. */
import assert from 'node:assert/strict'
import type { StoredEffect } from '../../src/features/stepping/contract.ts'
import { globalReport } from '../../src/features/stepping/integrity/report.ts'
import { Verifier } from '../../src/features/stepping/integrity/verifier.ts'
import type { Gates, Policies } from '../../src/governance/contract.ts'
import { type Random, randomOf } from '../fuzz/random.ts'
import { HAPPENINGS } from './operations.ts'
import { readerOf } from './reader.ts'
import { callerOf, callOf } from './requests.ts'
import { Simulation } from './simulation.ts'
import type { Stored } from './stored.ts'
import { SPOILS, spoil } from './tampering.ts'

export const OPERATIONS = 200
const MAX_AT_ONCE = 6
const MAX_TURNS = 24
const WAYS = Object.keys(SPOILS)

/** Every line of what happened; the same lines for the same seed. Throws with all of them where something is wrong. */
export async function simulate(seed: number, governing: { gates: Gates; policies: Policies }): Promise<string[]> {
  const world = new Simulation(seed, governing)
  try {
    await world.open()
    for (let n = 1; n <= OPERATIONS; n += 1) await happen(world, n)
    await peace(world)
    await invalid(world, WAYS[seed % WAYS.length]!, randomOf(seed, 3))
    return world.trace
  } catch (error) {
    const { message, stack } = error as Error
    throw new Error(`seed ${seed}: ${message}\n${world.trace.join('\n')}\n${stack}`)
  }
}

async function happen(world: Simulation, n: number): Promise<void> {
  const { alone, run } = chosen(world.random)
  if (alone) {
    // Whoever is woken for it finishes what it was at first.
    await world.able()
    await world.quiet()
  }
  await run(world, n)
  if (alone) return world.quiet()
  await world.advance(world.random.below(MAX_TURNS))
  while (world.busy >= MAX_AT_ONCE && world.mayEnd) await world.advance(1)
}

const TOTAL = Object.values(HAPPENINGS).reduce((sum, { weight }) => sum + weight, 0)

function chosen(random: Random) {
  let left = random.below(TOTAL)
  for (const one of Object.values(HAPPENINGS)) {
    left -= one.weight
    if (left < 0) return one
  }
  throw new Error('beyond all weights')
}

/** Faults stop and time passes: all that can leave has left. */
async function peace(world: Simulation): Promise<void> {
  world.around.database.faults.clear()
  world.around.deliveries.failing = null
  for (const node of world.nodes) {
    node.skew = 0
    world.thaw(node)
  }
  // What is under way may have met its fault already, and stop its node yet.
  await world.quiet()
  for (const [at, node] of world.nodes.entries()) {
    if (!node.alive || node.ledger.state().readOnly !== null) {
      world.crash(node)
      await world.start(at)
    }
  }
  await world.quiet()
  for (let passes = 0; open(world).length > 0; passes += 1) {
    assert.ok(passes < 40, 'effects do not leave')
    for (const namespace of new Set(world.callers.map((caller) => caller.namespace))) await outbound(world, namespace)
  }
  world.tell('peace')
  const exported = effects(world).filter(({ state }) => state === 'EXPORTED')
  const { arrived } = world.around.deliveries
  for (const { effect_id } of exported) assert.ok(arrived.has(effect_id!), 'an exported effect is not in the sink')
  const ids = new Set(effects(world).map(({ effect_id }) => effect_id))
  for (const id of arrived.keys()) assert.ok(ids.has(id), 'the sink has what nobody recorded')
}

async function outbound(world: Simulation, namespace: string): Promise<void> {
  const { scheduler } = world.around
  const latest = Math.max(0, ...open(world).map(({ due_at, lease_until }) => Math.max(due_at, lease_until ?? 0)))
  const node = world.nodes[0]!
  scheduler.time += Math.max(1_000, latest - node.storeTime())
  const caller = callerOf(namespace, 'operator')
  const id = `p${world.trace.length}`
  world.begin(`last drain ${namespace}`, node, async () => {
    await node.outbox.drain(callOf(caller, id), 1_000)
    return 'done'
  })
  await world.quiet()
  if (effects(world).every((effect) => effect.namespace !== namespace || !isRevivable(effect))) return
  world.begin(`last recovery ${namespace}`, node, async () => {
    await node.outbox.recover(callOf(caller, `${id}r`), { limit: 1_000, expected: null })
    return 'done'
  })
  await world.quiet()
}

const isRevivable = ({ state, last_error, recoveries }: StoredEffect): boolean =>
  state === 'DEAD_LETTER' && last_error?.class === 'TRANSIENT' && recoveries < 3

const effects = ({ stored }: Simulation): StoredEffect[] =>
  [...stored.spaces]
    .filter(([space]) => space.startsWith('gdw.effect/'))
    .flatMap(([, documents]) => [...documents.values()].map(({ value }) => JSON.parse(value!) as StoredEffect))

const open = (world: Simulation): StoredEffect[] =>
  effects(world).filter((effect) => effect.state === 'PENDING' || effect.state === 'CLAIMED' || isRevivable(effect))

async function invalid(world: Simulation, way: string, random: Random): Promise<void> {
  const whole = await reportOn(world, world.stored)
  assert.deepEqual([whole.ok, whole.first_broken], [true, null])
  assert.equal(
    whole.records_total,
    [...world.model.sessions.values()].reduce((sum, { step }) => sum + step, 0),
  )
  const copy = world.stored.copy()
  const index = spoil(copy, way, random)
  if (index === null) return
  const { ok, first_broken } = await reportOn(world, copy)
  world.tell(`${way} one record`)
  assert.equal(ok, false, `${way} a record is not noticed`)
  assert.equal(first_broken?.index, index, `${way} a record is found at another place`)
}

function reportOn(world: Simulation, stored: Stored) {
  const reader = readerOf(stored)
  const { clock } = world.nodes[0]!
  const sink = world.around.deliveries.sinkFor(world.nodes[0]!)
  const storeModes = () =>
    Promise.resolve({ engine: 'sqlite', journal_mode: 'simulated', synchronous: 'simulated' } as const)
  const verifier = new Verifier({ reader, ledger: world.nodes[0]!.ledger, clock, sink })
  return globalReport({ reader, clock, verifier, generationId: '', storeModes, isLedgerBroken: () => false })
}
