/** The public sources over the one way out, and what is reported of them. */
import type { Outbound, Provider } from '../../adapters/outbound/contract.ts'
import { TIMES } from '../../adapters/outbound/wire.ts'
import { DEFAULT_BODY_LIMIT, type Operation, pathsOf } from '../../operation.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { BuildFacts } from '../../ports.ts'
import { type ContractTables, toContract } from './sources/contract-report.ts'
import { openObserve } from './sources/io/observe.ts'
import { toProviders } from './sources/providers-report.ts'
import type { FinanceSources } from './sources/source.ts'
import { sourceTable } from './sources/table.ts'

interface Needs extends Pick<ContractTables, 'formulas' | 'receiptRules'> {
  outbound: Pick<Outbound, 'get' | 'status'>
  clock: Pick<Clock, 'now'>
  build: Pick<BuildFacts, 'gitSha'>
  /** The rows of finance in the table of providers. */
  providers: readonly Provider[]
  alpacaFeed: string
  /** Where large replies are read. */
  compute: Pick<Compute, 'register'>
  /** Asked when the contract is, which is after all operations are mounted. */
  operations(): readonly Operation[]
}

const OURS = /^\/(?:finance|markets)\//

export function openFinanceSources(needs: Needs): FinanceSources {
  const { outbound, clock, providers, build, alpacaFeed, compute } = needs
  const table = sourceTable(alpacaFeed)
  const revision = /^[0-9a-f]{40}$/.test(build.gitSha.value ?? '') ? build.gitSha.value! : 'UNBOUND'
  const { observe, lastAttempt } = openObserve(table, { outbound, clock, providers, revision, alpacaFeed, compute })
  const { formulas, receiptRules } = needs
  return {
    observe,
    providers: () => toProviders(table, (id) => outbound.status(id), lastAttempt),
    contract: () =>
      toContract({
        ...{ table, providers, times: TIMES, formulas, receiptRules, revision },
        operations: needs.operations().filter(({ path }) => OURS.test(path)),
        defaultBodyLimit: DEFAULT_BODY_LIMIT,
        pathOf: (operation) => pathsOf(operation)[0]!.replaceAll(/:(\w+)/g, '{$1}'),
      }),
  }
}
