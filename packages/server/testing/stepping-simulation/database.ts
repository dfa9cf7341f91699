/** The database that all nodes share, as each of them has it: one transaction at a time, and what a node had not
 *  committed when it died is gone. */
import { type LedgerStore, OutcomeUnknown } from '../../src/ledger/store/store.ts'
import type { Random } from '../fuzz/random.ts'
import type { Scheduler, SimulatedMachine } from './scheduler.ts'
import { hexOf, organOf, type Stored, type Transaction } from './stored.ts'

export type StoreFault = 'busy' | 'fsync' | 'silent'

export class Database {
  readonly stored: Stored
  private readonly scheduler: Scheduler
  private readonly random: Random
  private holder: SimulatedMachine | null = null
  /** Met by the next transaction of the machine. */
  readonly faults = new Map<SimulatedMachine, StoreFault>()
  /** Told of every transaction and who made it, just before it becomes durable. */
  watch: (machine: SimulatedMachine, transaction: Transaction) => void = () => undefined

  constructor(stored: Stored, scheduler: Scheduler, random: Random) {
    this.stored = stored
    this.scheduler = scheduler
    this.random = random
  }

  isLockedBy(machine: SimulatedMachine): boolean {
    return this.holder === machine
  }

  /** `exclusive`: a file of one process, which has to be started again after a failed sync. */
  storeFor(machine: SimulatedMachine, exclusive: boolean): LedgerStore {
    const { stored, scheduler } = this
    let open: Transaction | null = null
    const refuse = async (): Promise<never> => {
      throw new Error('no part of the append path')
    }
    const end = () => {
      open = null
      if (this.holder === machine) this.holder = null
    }
    const lock = async () => {
      await scheduler.turn(machine, () => this.holder === null || !this.holder.alive)
      if (this.faultOf(machine, 'busy')) throw Object.assign(new Error('database is locked'), { code: 'EBUSY' })
      this.holder = machine
      open = { batch: null, documents: [], counters: [] }
      return stored.head
    }
    return {
      durability: 'DURABLE',
      exclusive,
      open: async () => undefined,
      assertOwnFiles: () => undefined,
      files: () => [],
      lock,
      begin: async () => void (await lock()),
      head: async () => stored.head,
      chain: async (ns, chain) => stored.chains.get(organOf(ns, chain)) ?? null,
      answers: async (keys) => {
        await scheduler.maybe(machine)
        return keys.map((key) => stored.answers.get(hexOf(key)) ?? null)
      },
      documentVersions: async (ids) => {
        await scheduler.maybe(machine)
        return ids.map((id) => {
          const found = stored.documentAt(id)
          return found && { version: found.version, present: found.value !== null, nodeIndex: found.nodeIndex }
        })
      },
      counterValues: async (ids) => ids.map(({ space, key }) => stored.counters.get(`${space}:${key}`)?.value ?? null),
      write: async (batch) => {
        open!.batch = batch
      },
      writeDocuments: async (changes) => {
        open!.documents.push(...changes)
      },
      writeCounters: async (changes) => {
        open!.counters.push(...changes)
      },
      commit: async () => {
        await scheduler.turn(machine)
        const failed = this.faultOf(machine, 'fsync')
        const silent = this.faultOf(machine, 'silent')
        // Of a sync that failed nobody knows what is on the disk; a shared database knows, and has rolled back.
        if (!failed || (exclusive && this.random.chance(0.5))) this.makeDurable(machine, open!)
        end()
        if (failed) throw Object.assign(new Error('input/output error'), { code: 'EIO' })
        await scheduler.turn(machine)
        if (silent) throw new OutcomeUnknown('the connection went away')
      },
      rollback: async () => end(),
      modes: async () => ({ engine: 'sqlite', journal_mode: 'simulated', synchronous: 'simulated' }),
      spill: () => undefined,
      keys: async () => [],
      checkpoint: async () => null,
      meta: async () => null,
      close: async () => undefined,
      ...{ putAnswers: refuse, putKey: refuse, putCheckpoint: refuse, putMeta: refuse, forgetAnswers: refuse },
    }
  }

  private makeDurable(machine: SimulatedMachine, transaction: Transaction): void {
    this.watch(machine, transaction)
    this.stored.commit(transaction)
  }

  private faultOf(machine: SimulatedMachine, kind: StoreFault): boolean {
    if (this.faults.get(machine) !== kind) return false
    this.faults.delete(machine)
    return true
  }
}
