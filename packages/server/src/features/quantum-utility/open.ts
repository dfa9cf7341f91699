/** Opens the surface: its jobs in the compute pools, and what it looks up in the ledger. */
import type { Compute } from '../../platform/compute/compute.ts'
import type { JobSpec } from '../../platform/compute/job.ts'
import type { Ports } from '../../ports.ts'
import type { Computation, ComputeParams } from './job.ts'
import { ledgerLookups } from './ledger-lookups.ts'
import type { QuantumUtilityPort } from './ports.ts'
import type { ReplayVerdict } from './receipt.ts'
import type { Computing, ReplayReceipt } from './schemas.ts'

const DEADLINE_MS = 20_000

interface Needs extends Pick<Ports, 'clock' | 'ledger'> {
  /** For what takes milliseconds. */
  compute: Compute
  /** For what may take seconds: a problem at its budget must not keep the short jobs of others waiting. */
  longRuns: Compute
}

/** These solve a problem, all of its budget long. */
const LONG: ReadonlySet<Computing> = new Set(['qubo/baseline', 'claim/rupture-gate'])

export function openQuantumUtility({ compute, longRuns, ledger, clock }: Needs): {
  quantumUtility: QuantumUtilityPort
} {
  const job = <Params>(name: string, run: string): JobSpec<Params> => ({
    ...{ name: `quantum-utility-${name}`, function: run, deadlineMs: DEADLINE_MS },
    module: new URL('./job.ts', import.meta.url),
  })
  const register = <Params, Result>(name: string, run: string) => {
    const spec = job<Params>(name, run)
    const [short, long] = [compute.register<Params, Result>(spec), longRuns.register<Params, Result>(spec)]
    return (operation: Computing) => (LONG.has(operation) ? long : short)
  }
  const computing = register<ComputeParams, Computation>('compute', 'compute')
  const replaying = register<ReplayReceipt, ReplayVerdict>('replay', 'replayOne')
  const timing = register<ReplayReceipt, number | null>('time', 'timeBaseline')
  return {
    quantumUtility: {
      compute: (operation, input, signal) => computing(operation)({ operation, input }, { signal }),
      replay: (receipt, signal) => replaying(receipt.operation)(receipt, { signal }),
      timeBaseline: async (receipt, signal) => (await timing('qubo/baseline')(receipt, { signal })).value,
      ...ledgerLookups(ledger, clock),
    },
  }
}
