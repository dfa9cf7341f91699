/** Where effects go: one place for all nodes that keeps the first bytes under an id. It can refuse, and it can take
 *  a delivery and lose its answer. */
import type { EffectSink } from '../../src/features/stepping/contract.ts'
import type { Random } from '../fuzz/random.ts'
import type { Scheduler, SimulatedMachine } from './scheduler.ts'

export class Deliveries {
  private readonly scheduler: Scheduler
  private readonly random: Random
  readonly arrived = new Map<string, string>()
  /** Every second delivery fails with this; `LOST` is a delivery that arrives and is not confirmed. */
  failing: string | null = null
  /** Called with every arrival, repetitions included. */
  watch: (effectId: string, text: string) => void = () => undefined

  constructor(scheduler: Scheduler, random: Random) {
    this.scheduler = scheduler
    this.random = random
  }

  sinkFor(machine: SimulatedMachine): EffectSink {
    return {
      kind: 'web',
      name: 'simulated',
      deliver: async ({ effect_id, bytes }) => {
        await this.scheduler.turn(machine)
        const code = this.failing !== null && this.random.chance(0.5) ? this.failing : null
        if (code !== null && code !== 'LOST') throw Object.assign(new Error('refused'), { code })
        const text = Buffer.from(bytes).toString()
        this.watch(effect_id, text)
        if (!this.arrived.has(effect_id)) this.arrived.set(effect_id, text)
        await this.scheduler.turn(machine)
        if (code === 'LOST') throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
      },
      delivered: async (id) => {
        const text = this.arrived.get(id)
        return text === undefined ? null : Buffer.from(text)
      },
    }
  }
}
