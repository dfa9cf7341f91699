/** Opens the organs over the parts of the service that they measure or wrap. */
import { randomBytes } from 'node:crypto'
import type { JsonExchange } from '../../adapters/outbound/contract.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import { toTokens } from './cache/io/tokens.ts'
import { cache } from './cache/organ.ts'
import { screenText } from './guard/screen.ts'
import { memory } from './memory/organ.ts'
import { observe } from './observe/organ.ts'
import { receiptFinder } from './observe/receipts.ts'
import { joinOrgans } from './registry.ts'
import { readBundled } from './retrieve/io/bundled.ts'
import { fullText } from './retrieve/io/index-cache.ts'
import { rivalRanking } from './retrieve/io/rival.ts'
import { retrieve } from './retrieve/organ.ts'
import type { OrganPorts } from './run.ts'
import type { ScreenSecrets } from './screening.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'

export interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
  /** The embeddings server beside N9, where the operator configured one. */
  retrieveBackend: Backend | null
}

interface Backend {
  url: string
  exchange: JsonExchange
}

const rivalOf = (backend: Backend | null) => (backend === null ? null : rivalRanking(backend.url, backend.exchange))

export function openOrgans(needs: OrganNeeds): OrganPorts {
  const { clock, ledger } = needs
  const screen: ScreenSecrets = (text) => screenText(needs.gates, text, 'output', { scanners: ['secrets'] })
  const all = joinOrgans([
    // One line for each organ, in the order of their numbers.
    retrieve({ ledger, engine: fullText, bundled: readBundled, rival: rivalOf(needs.retrieveBackend) }),
    observe({ ledger, findReceipt: receiptFinder(ledger) }),
    tune(() => machineProbes(clock)),
    memory({ ledger, engine: fullText, screen, secret: () => randomBytes(32).toString('hex') }),
    cache({ ledger, screen, toTokens }),
  ])
  return { organs: { all, gauges: { clock, hrtime: () => process.hrtime.bigint(), cpuMicros } } }
}

function cpuMicros(): number {
  const used = process.threadCpuUsage()
  return used.user + used.system
}
