/** What can happen in the simulated world. Each happening ends in one line of the trace. */
import assert from 'node:assert/strict'
import type { Caller } from '../../src/access.ts'
import type { StoredEffect, StoredSession } from '../../src/features/stepping/contract.ts'
import type { StepInput } from '../../src/features/stepping/schemas.ts'
import { stepAsked } from '../../src/features/stepping/step-request.ts'
import { Reply } from '../../src/operation.ts'
import { type Node, REVISION } from './node.ts'
import { bodyOf, callerOf, callOf } from './requests.ts'
import type { Asked, Simulation } from './simulation.ts'

const LEASE_MS = 300_000
const FIRST_DELAY_MS = 5_000
const MAX_TURNS = 24
const DAY_MS = 24 * 3_600_000

/** `alone`: nothing else is under way meanwhile, so that what it leaves behind is its own. */
interface Happening {
  weight: number
  alone?: true
  run(world: Simulation, n: number): Promise<void>
}

interface StepAnswer {
  step: number
  decision: string
  reason_codes: string[]
  state_hash: string
  receipt: { digest: string } | null
}

const toText = ({ decision, step, reason_codes }: StepAnswer): string => `${decision} ${step} ${reason_codes[0]}`

async function send(node: Node, caller: Caller, body: StepInput, requestId: string, keyed: boolean) {
  node.stepping.assertWritable()
  const headers = keyed ? { 'x-request-id': requestId } : {}
  const reply = await node.stepping.step(callOf(caller, requestId, headers), stepAsked(body))
  const [answer, replayed] =
    reply instanceof Reply ? [reply.body, reply.headers['idempotent-replay'] === 'true'] : [reply, false]
  return { answer: answer as StepAnswer, text: JSON.stringify(answer), replayed }
}

/** Sends a keyed request; one in eight clients never hears what came of it. */
async function ask(world: Simulation, n: number, one: Asked, what: string): Promise<void> {
  const node = await world.able()
  const lost = world.random.chance(0.12)
  const { caller, body, key } = one
  world.begin(`${n} ${what} ${key} ${body.session_id} at ${node.name}${lost ? ', unheard' : ''}`, node, async () => {
    const again = one.heard
    const { answer, text, replayed } = await send(node, caller, body, key, true)
    if (lost) return 'done'
    if (again) assert.ok(replayed, 'what was answered is replayed')
    one.heard = true
    world.model.answered(key, text)
    world.model.acknowledged(key, answer as StepAnswer & { receipt: { digest: string } })
    return `${toText(answer)}${replayed ? ' again' : ''}`
  })
}

async function step(world: Simulation, n: number, caller: Caller, body: StepInput): Promise<void> {
  const keyed = world.random.chance(0.7)
  if (keyed) {
    const one = { key: `r${n}`, caller, body, digest: stepAsked(body).approvedDigest, heard: false }
    world.asked.push(one)
    return ask(world, n, one, 'step')
  }
  const node = await world.able()
  world.begin(`${n} step without a key ${body.session_id} at ${node.name}`, node, async () => {
    const { answer } = await send(node, caller, body, `g${n}`, false)
    world.model.acknowledged(`g${n}`, answer as StepAnswer & { receipt: { digest: string } })
    return toText(answer)
  })
}

/** Claims and their generations; a claim is listed under the end of its lease. */
const expiredClaims = (world: Simulation, namespace: string, now: number): string[] =>
  [...(world.stored.spaces.get(`gdw.effect/${namespace}`)?.values() ?? [])]
    .filter(({ state, rank }) => state === 'CLAIMED' && rank <= now)
    .map(({ key, value }) => `${key} ${(JSON.parse(value!) as StoredEffect).claim_generation}`)

function drain(world: Simulation, n: number, node: Node, namespace: string, limit: number): void {
  world.begin(`${n} drain ${namespace} ${limit} at ${node.name}`, node, async () => {
    const expired = expiredClaims(world, namespace, node.storeTime())
    const { body } = await node.outbox.drain(callOf(callerOf(namespace, 'operator'), `x${n}`), limit)
    const left = new Set(expiredClaims(world, namespace, Number.MAX_SAFE_INTEGER))
    const outlived = expired.filter((claim) => left.has(claim))
    assert.deepEqual(outlived, [], 'an expired lease outlived a drain')
    const { attempted, exported, failed, fenced_out } = body as Record<string, number>
    return `${attempted} attempted, ${exported} exported, ${failed} failed, ${fenced_out} fenced out`
  })
}

const SINK_CODES = ['EIO', 'HTTP_503', 'ETIMEDOUT', 'LOST', 'LOST', 'EACCES', 'WHAT']

export const HAPPENINGS: Record<string, Happening> = {
  step: {
    weight: 40,
    run: (world, n) => step(world, n, world.random.pick(world.callers), bodyOf(world.random, world.session())),
  },
  rehearsal: {
    weight: 6,
    alone: true,
    async run(world, n) {
      const node = await world.able()
      const [caller, body] = [world.random.pick(world.callers), bodyOf(world.random, world.session())]
      const before = world.stored.fingerprint
      world.begin(`${n} dry run ${body.session_id} at ${node.name}`, node, async () => {
        const { answer } = await send(node, caller, { ...body, dry_run: true }, `d${n}`, true)
        assert.equal(answer.receipt, null)
        assert.equal(world.stored.fingerprint, before, 'a dry run left something')
        return answer.decision
      })
    },
  },
  replay: {
    weight: 10,
    async run(world, n) {
      if (world.asked.length > 0) await ask(world, n, world.random.pick(world.asked), 'replay')
    },
  },
  conflict: {
    weight: 4,
    alone: true,
    async run(world, n) {
      const answered = world.asked.filter(({ heard }) => heard)
      if (answered.length === 0) return
      const [node, { key, caller, body }] = [await world.able(), world.random.pick(answered)]
      world.begin(`${n} conflict ${key} at ${node.name}`, node, async () => {
        await send(node, caller, { ...body, request: `${body.request}, please` }, key, true)
        assert.fail('another request under a used key was taken')
      })
    },
  },
  approved: {
    weight: 4,
    async run(world, n) {
      const digests = [...(world.stored.spaces.get('gdw.session')?.values() ?? [])].flatMap(({ value }) =>
        Object.keys((JSON.parse(value!) as StoredSession).approvals),
      )
      const able = world.asked.filter(({ digest }) => digests.includes(digest))
      if (able.length === 0) return
      const { caller, body } = world.random.pick(able)
      await step(world, n, caller, body)
    },
  },
  verdict: {
    weight: 7,
    async run(world, n) {
      const reviews = [...(world.stored.spaces.get('review')?.values() ?? [])]
      const open = reviews.filter(({ state }) => state === 'pending')
      if (open.length === 0) return
      const node = await world.able()
      const { review_id, namespace } = JSON.parse(world.random.pick(open).value!)
      const verdict = world.random.chance(0.8) ? 'approve' : 'deny'
      const call = callOf(callerOf(namespace, 'reviewer'), `v${n}`)
      const vote = { verdict, reason: 'seen', reviewer: null } as const
      world.begin(`${n} ${verdict} ${review_id.slice(0, 12)} at ${node.name}`, node, async () => {
        await node.recorder.record(call, 'reviews.decide', {
          decide: () => node.reviews.verdict(call.caller, review_id, vote),
        })
        return 'done'
      })
    },
  },
  drain: {
    weight: 10,
    async run(world, n) {
      const { namespace } = world.random.pick(world.callers)
      drain(world, n, await world.able(), namespace, world.random.pick([1, 3, 100]))
    },
  },
  /** A worker that was stopped past its lease goes on while another one holds what it held. */
  overtaking: {
    weight: 5,
    async run(world, n) {
      const stopped = world.nodes.find((node) => node.alive && node.frozen && world.isDraining(node))
      const others = world.nodes.filter((node) => node.alive && !node.frozen)
      if (stopped === undefined || others.length === 0) return
      const [node, { namespace }] = [world.random.pick(others), world.random.pick(world.callers)]
      drain(world, n, node, namespace, 100)
      await world.quiet()
      world.around.scheduler.time += FIRST_DELAY_MS
      drain(world, n, node, namespace, 100)
      await world.advance(MAX_TURNS / 2 + world.random.below(MAX_TURNS))
      world.thaw(stopped)
      world.tell(`${n} ${stopped.name} goes on, overtaken`)
    },
  },
  task: {
    weight: 4,
    async run(world, n) {
      const node = await world.able()
      const [name, work] = world.random.pick([...node.tasks])
      world.begin(`${n} ${name} at ${node.name}`, node, async () => {
        await work()
        return 'done'
      })
    },
  },
  recovery: {
    weight: 3,
    async run(world, n) {
      const [node, { namespace }] = [await world.able(), world.random.pick(world.callers)]
      const expected = world.random.pick([null, REVISION, 'b'.repeat(40)])
      const call = callOf(callerOf(namespace, 'operator'), `y${n}`)
      world.begin(`${n} recovery ${namespace} at ${node.name}`, node, async () => {
        const { body } = await node.outbox.recover(call, { limit: world.random.pick([1, 100]), expected })
        assert.ok(expected === null || expected === REVISION, 'another revision was expected')
        return `${(body as { rescheduled: number }).rescheduled} rescheduled`
      })
    },
  },
  integrity: {
    weight: 2,
    async run(world, n) {
      const [node, caller] = [await world.able(), world.random.pick([null, ...world.callers])]
      world.begin(`${n} integrity at ${node.name}`, node, async () => {
        const { ok, first_broken, records_total } = await node.stepping.integrity(caller)
        assert.ok(ok, `an untouched store is called broken: ${JSON.stringify(first_broken)}`)
        return `${records_total} records`
      })
    },
  },
  session: {
    weight: 2,
    alone: true,
    async run(world, n) {
      const [node, caller, id] = [await world.able(), world.random.pick(world.callers), world.session()]
      const before = world.stored.fingerprint
      world.begin(`${n} session ${id} at ${node.name}`, node, async () => {
        const { step } = await node.stepping.session(caller, id)
        assert.equal(world.stored.fingerprint, before, 'a read left something')
        return `at step ${step}`
      })
    },
  },
  crash: {
    weight: 3,
    async run(world, n) {
      const alive = world.nodes.filter((node) => node.alive)
      if (alive.length === 0) return
      const node = world.random.pick(alive)
      world.crash(node)
      world.tell(`${n} crash of ${node.name}`)
      world.model.check()
    },
  },
  restart: {
    weight: 6,
    async run(world, n) {
      const dead = world.nodes.findIndex((node) => !node.alive || node.ledger.state().readOnly !== null)
      if (dead < 0) return
      world.crash(world.nodes[dead]!)
      await world.start(dead)
      world.tell(`${n} restart as ${world.nodes[dead]!.name}`)
    },
  },
  pause: {
    weight: 3,
    async run(world, n) {
      const [node, { namespace }] = [await world.able(), world.random.pick(world.callers)]
      if (world.random.chance(0.7)) drain(world, n, node, namespace, 100)
      await world.advance(world.random.below(MAX_TURNS))
      if (world.around.database.isLockedBy(node)) return
      node.frozen = true
      world.around.scheduler.time += LEASE_MS + world.random.below(LEASE_MS)
      world.tell(`${n} pause of ${node.name} past a lease`)
    },
  },
  resume: {
    weight: 4,
    async run(world, n) {
      const frozen = world.nodes.find((node) => node.alive && node.frozen)
      if (frozen === undefined) return
      world.thaw(frozen)
      world.tell(`${n} ${frozen.name} goes on`)
    },
  },
  wait: {
    weight: 6,
    async run(world, n) {
      const days = world.random.chance(0.02) ? 31 : 0
      world.around.scheduler.time += world.random.below(400_000) + days * DAY_MS
      if (days > 0) world.era += 1
      world.tell(`${n} time passes`)
    },
  },
  jump: {
    weight: 3,
    async run(world, n) {
      const node = world.random.pick(world.nodes)
      node.skew += (world.random.below(7_200) - 3_600) * 1_000
      world.tell(`${n} clock of ${node.name} jumps`)
    },
  },
  sink: {
    weight: 5,
    async run(world, n) {
      const { deliveries } = world.around
      deliveries.failing = deliveries.failing === null ? world.random.pick(SINK_CODES) : null
      world.tell(`${n} the sink ${deliveries.failing === null ? 'works' : `fails with ${deliveries.failing}`}`)
    },
  },
  fault: {
    weight: 3,
    async run(world, n) {
      const node = await world.able()
      const kind = world.random.pick(['busy', 'fsync', 'silent'] as const)
      world.around.database.faults.set(node, kind)
      world.tell(`${n} the store of ${node.name} is about to be ${kind}`)
    },
  },
}
