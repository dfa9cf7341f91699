/** The order in which things happen, as a seed says. Whatever touches the store or the sink waits here for its turn;
 *  one is let go on at a time, and the clock moves only as it is told to. */
import { setImmediate as settled } from 'node:timers/promises'
import type { Clock } from '../../src/ports.ts'
import type { Random } from '../fuzz/random.ts'

interface Waiting {
  node: SimulatedMachine
  resume(): void
  ready(): boolean
}

/** What a process stands on: it can die, be stopped, and have a clock of its own. */
export interface SimulatedMachine {
  name: string
  /** False for ever after a crash: whatever it was doing never goes on. */
  alive: boolean
  /** Stopped like by SIGSTOP. */
  frozen: boolean
  /** Milliseconds its clock is ahead. */
  skew: number
}

const START = Date.UTC(2026, 0, 1)
const always = () => true
const never = new Promise<never>(() => undefined)

export class Scheduler {
  private readonly random: Random
  private waiting: Waiting[] = []
  /** Milliseconds since the beginning. */
  time = 0

  constructor(random: Random) {
    this.random = random
  }

  clockOf = (machine: SimulatedMachine): Clock => ({
    now: () => START + this.time + machine.skew,
    monotonic: () => this.time,
  })

  /** The time of a store that has a clock of its own. */
  storeTime = (): number => START + this.time

  /** Resolves when it is this one's turn and `ready`; never on a machine that is dead by then. */
  turn(node: SimulatedMachine, ready: () => boolean = always): Promise<void> {
    if (!node.alive) return never
    return new Promise((resume) => this.waiting.push({ node, resume, ready }))
  }

  /** A turn now and then, so that most orders of reads are met without paying for all of them. */
  async maybe(node: SimulatedMachine): Promise<void> {
    if (!node.alive) return never
    if (this.random.chance(0.2)) await this.turn(node)
  }

  /** Lets one go on as far as it gets; false where nobody can. */
  async advance(): Promise<boolean> {
    this.waiting = this.waiting.filter(({ node }) => node.alive)
    const able = this.waiting.filter(({ node, ready }) => !node.frozen && ready())
    if (able.length > 0) {
      const next = this.random.pick(able)
      this.waiting.splice(this.waiting.indexOf(next), 1)
      this.time += this.random.below(3)
      next.resume()
    }
    await settled()
    return able.length > 0
  }
}
