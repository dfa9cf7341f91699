/** The world of one seed: nodes, owners, sessions, what is under way, and what was seen of it. */
import assert from 'node:assert/strict'
import type { Caller } from '../../src/access.ts'
import { ERRORS, ServiceError } from '../../src/errors.ts'
import type { StepInput } from '../../src/features/stepping/schemas.ts'
import type { Gates, Policies } from '../../src/governance/contract.ts'
import { type Random, randomOf } from '../fuzz/random.ts'
import { Database } from './database.ts'
import { Model } from './model.ts'
import { type Environment, type Node, startNode } from './node.ts'
import { callerOf } from './requests.ts'
import { Scheduler } from './scheduler.ts'
import { Deliveries } from './sink.ts'
import { Stored } from './stored.ts'

/** A keyed request, as its client remembers it. */
export interface Asked {
  key: string
  caller: Caller
  body: StepInput
  /** What an approval of it is found by. */
  digest: string
  /** Whether the client heard an answer. */
  heard: boolean
}

interface UnderWay {
  name: string
  node: Node
  over: { outcome: string } | { failure: unknown } | null
  /** The store as it was, where nobody else is at work. */
  before: string | null
}

const QUOTAS = [null, null, 'steps=60/150,effects=40/90', 'reviews=3/6,sessions=2/4'] as const
const STUCK = 500

export class Simulation {
  readonly random: Random
  readonly around: Environment
  readonly model: Model
  readonly nodes: Node[] = []
  readonly callers: Caller[]
  readonly asked: Asked[] = []
  readonly trace: string[] = []
  private readonly sessionCount: number
  private underWay: UnderWay[] = []
  private started = 0
  /** Names of sessions change when the old ones have run out. */
  era = 1

  constructor(seed: number, governing: { gates: Gates; policies: Policies }) {
    this.random = randomOf(seed, 1)
    const scheduler = new Scheduler(this.random)
    const database = new Database(new Stored(), scheduler, this.random)
    const deliveries = new Deliveries(scheduler, this.random)
    const nodes = 1 + this.random.below(4)
    this.around = {
      ...{ scheduler, database, deliveries, chance: randomOf(seed, 2), ...governing },
      exclusive: nodes === 1,
      quotas: this.random.pick(QUOTAS),
    }
    this.model = new Model(database, deliveries)
    this.nodes.length = nodes
    this.callers = Array.from({ length: 1 + this.random.below(3) }, (_, n) =>
      callerOf(n === 1 ? 'beta' : 'alpha', `owner-${n}`),
    )
    this.sessionCount = 1 + this.random.below(5)
  }

  get stored(): Stored {
    return this.around.database.stored
  }

  get busy(): number {
    return this.underWay.length
  }

  /** Whether something is under way on a node that is not stopped. */
  get mayEnd(): boolean {
    return this.underWay.some(({ node }) => !node.frozen)
  }

  isDraining(node: Node): boolean {
    return this.underWay.some((one) => one.node === node && one.name.includes('drain'))
  }

  async open(): Promise<void> {
    for (let n = 0; n < this.nodes.length; n += 1) await this.start(n)
  }

  /** A process that starts has another name than the one before it: what that one held is not its own. */
  async start(at: number): Promise<void> {
    this.started += 1
    this.nodes[at] = await startNode(`n${at}.${this.started}`, this.nodes[at]?.skew ?? 0, this.around)
  }

  session(): string {
    return `session ${this.era}.${this.random.below(this.sessionCount)}`
  }

  /** Whatever is under way on it is never heard of again. */
  crash(node: Node): void {
    node.alive = false
    this.around.database.faults.delete(node)
    this.underWay = this.underWay.filter((one) => one.node !== node)
  }

  thaw(node: Node): void {
    this.disturb()
    node.frozen = false
  }

  /** One that can work; the first is woken or started where none can. */
  async able(): Promise<Node> {
    const able = this.nodes.filter(({ alive, frozen }) => alive && !frozen)
    if (able.length > 0) return this.random.pick(able)
    const stopped = this.nodes.find(({ alive }) => alive)
    if (stopped === undefined) await this.start(0)
    else this.thaw(stopped)
    return stopped ?? this.nodes[0]!
  }

  begin(name: string, node: Node, work: () => Promise<string>): UnderWay {
    const alone = this.underWay.every((other) => other.node.frozen)
    this.disturb()
    const one: UnderWay = { name, node, over: null, before: alone ? this.stored.fingerprint : null }
    this.underWay.push(one)
    work().then(
      (outcome) => {
        one.over = { outcome }
      },
      (failure) => {
        one.over = { failure }
      },
    )
    return one
  }

  /** From here on somebody else may be the one who changed the store. */
  disturb(): void {
    for (const other of this.underWay) other.before = null
  }

  /** Lets others go on for so many turns. */
  async advance(turns: number): Promise<void> {
    for (let n = 0; n < turns; n += 1) {
      await this.around.scheduler.advance()
      this.settle()
    }
  }

  /** Until everything that can end has ended; what is stopped stays as it is. */
  async quiet(): Promise<void> {
    let still = 0
    while (this.mayEnd) {
      still = (await this.around.scheduler.advance()) ? 0 : still + 1
      this.settle()
      if (still > STUCK) throw new Error(`stands still: ${this.underWay.map(({ name }) => name).join('; ')}`)
    }
  }

  private settle(): void {
    const over = this.underWay.filter((one) => one.over !== null)
    this.underWay = this.underWay.filter((one) => one.over === null)
    for (const one of over) {
      this.tell(`${one.name}: ${outcomeOf(one, this.stored.fingerprint)}`)
      this.model.check()
    }
  }

  tell(line: string): void {
    this.trace.push(`${line} [${this.stored.fingerprint.slice(0, 12)}]`)
  }
}

/** A refusal that blames the caller leaves everything as it was. */
function outcomeOf({ over, before }: UnderWay, now: string): string {
  if (over === null) throw new Error('not over')
  if ('outcome' in over) return over.outcome
  const { failure } = over
  if (!(failure instanceof ServiceError)) throw failure
  assert.notEqual(failure.code, 'session_chain_broken')
  assert.notEqual(failure.code, 'integrity_not_verified')
  assert.notEqual(failure.code, 'internal_error')
  if (ERRORS[failure.code].status < 500 && before !== null) assert.equal(now, before, `${failure.code} left something`)
  return failure.code
}
