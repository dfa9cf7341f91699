/** Reads one of the service's own graphs for a caller. */
import { type Reading, readingAsync } from '@orch/core'
import { GATE_NAMES } from '../../../domain/decision/verdict.ts'
import { ServiceError } from '../../../errors.ts'
import type { Call } from '../../../operation.ts'
import { isoNow } from '../../../platform/clock.ts'
import type { Ports } from '../../../ports.ts'
import type { LiveGraph } from '../schemas.ts'
import { asOwner, mayReadReceipts } from '../search/receipt-documents.ts'
import type { GraphInput } from './graph.ts'
import { chainGraph, type Description, type LiveGraphInput, ontology, organism, threatGraph } from './sources.ts'

export interface GraphNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates'> {
  /** Asked when a request is: they are opened beside this feature. */
  organs(): ReadonlyMap<string, { organ: { dependsOn?: readonly string[] } }>
  openApiBytes(): Uint8Array
}

const MAX_LINKS = 200

export function readGraph(
  needs: GraphNeeds,
  name: LiveGraph,
  caller: Call['caller'],
): Promise<Reading<LiveGraphInput>> {
  const { source, read } = SOURCES[name]
  return readingAsync(
    source,
    () => isoNow(needs.clock),
    async () => read(needs, caller),
  )
}

type Read = (needs: GraphNeeds, caller: Call['caller']) => LiveGraphInput | Promise<LiveGraphInput>

const SOURCES: Record<LiveGraph, { source: string; read: Read }> = {
  organism: {
    source: 'the organs of this process and the organs each declares to run on',
    read: ({ organs }) => organism([...organs()].map(([id, { organ }]) => ({ id, dependsOn: organ.dependsOn ?? [] }))),
  },
  chain: {
    source: `the newest ${MAX_LINKS} receipts of the caller and their links`,
    async read({ ledger }, caller) {
      assertMayRead(caller)
      return chainGraph(await ledger.queries.newestReceipts(asOwner(caller), MAX_LINKS))
    },
  },
  ontology: {
    source: 'the interface description that this process serves',
    read: ({ openApiBytes }) => ontologyOf(openApiBytes()),
  },
  threatgraph: {
    source: 'the stages of a decision and the gate rules in charge',
    read({ gates }) {
      const rules = gates.rules()
      if (rules === null) throw new ServiceError('gates_unavailable', 'the gate rules did not load; read /api/readyz')
      return threatGraph(GATE_NAMES, rules.rules)
    },
  },
}

const ontologies = new WeakMap<Uint8Array, GraphInput>()

/** The description is written once for a build, and so is the graph of it. */
function ontologyOf(bytes: Uint8Array): GraphInput {
  const known = ontologies.get(bytes)
  if (known !== undefined) return known
  const graph = ontology(JSON.parse(new TextDecoder().decode(bytes)) as Description)
  ontologies.set(bytes, graph)
  return graph
}

/** As wherever receipts are read. */
function assertMayRead(caller: Call['caller']): void {
  if (mayReadReceipts(caller)) return
  if (caller.keyId === null)
    throw new ServiceError('missing_authorization', 'this graph needs a credential with the scope receipts:read', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  throw new ServiceError('missing_scopes', 'this credential lacks the scope receipts:read')
}
