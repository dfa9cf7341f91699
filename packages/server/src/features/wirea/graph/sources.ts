/** The service's own graphs, made from what it knows at the time of the request. */
import { GENESIS_PREV } from '@orch/core'
import { bodyOf, type StoredReceipt } from '../../../domain/stored-receipt.ts'
import type { GraphInput } from './graph.ts'

/** `linksLeftOut`: of receipts, links to one that is not among them. */
export type LiveGraphInput = GraphInput & { linksLeftOut?: number }

type Edge = readonly [from: string, to: string]

/** Nodes in the order they are first named; an edge to what is no node is left out. */
function graphOf(nodes: Iterable<string>, edges: Iterable<Edge>): GraphInput {
  const place = new Map<string, number>()
  for (const node of nodes) if (!place.has(node)) place.set(node, place.size)
  const known = [...edges].filter(([from, to]) => place.has(from) && place.has(to))
  return { nodes: [...place.keys()], edges: known.map(([from, to]) => [place.get(from)!, place.get(to)!]) }
}

interface DeclaredOrgan {
  id: string
  dependsOn: readonly string[]
}

/** Organs, and the organs each of them declares to run on. */
export const organism = (organs: readonly DeclaredOrgan[]): GraphInput =>
  graphOf(
    organs.map(({ id }) => id),
    organs.flatMap(({ id, dependsOn }) => dependsOn.map((other): Edge => [id, other])),
  )

/** Receipts, each linked to the one before it in its chain as its own bytes say. */
export function chainGraph(receipts: readonly StoredReceipt[]): LiveGraphInput {
  const oldestFirst = receipts.toReversed()
  const links = oldestFirst.map((row): Edge => [row.digest, bodyOf(row)?.prev ?? ''])
  const graph = graphOf(
    oldestFirst.map(({ digest }) => digest),
    links,
  )
  // The first of a chain has nothing before it; every other link is an edge, or leads to a receipt that is not here.
  const linked = links.filter(([, prev]) => prev !== GENESIS_PREV).length
  return { ...graph, linksLeftOut: linked - graph.edges.length }
}

/** The interface description: groups hold operations, operations use schemas, schemas use schemas. */
export function ontology(description: Description): GraphInput {
  const operations = Object.values(description.paths)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => operation['x-orch-alias-of'] === undefined)
  const schemas = Object.entries(description.components.schemas)
  const uses = (from: string, value: unknown): Edge[] =>
    [...new Set(referenced(value, description.components.responses))].map((name) => [from, `schema:${name}`])
  return graphOf(
    [
      ...operations.flatMap(({ tags }) => tags.map((tag) => `group:${tag}`)),
      ...operations.map(({ operationId }) => `operation:${operationId}`),
      ...schemas.map(([name]) => `schema:${name}`),
    ],
    [
      ...operations.flatMap(({ tags, operationId }) =>
        tags.map((tag): Edge => [`group:${tag}`, `operation:${operationId}`]),
      ),
      ...operations.flatMap((operation) => uses(`operation:${operation.operationId}`, operation)),
      ...schemas.flatMap(([name, schema]) => uses(`schema:${name}`, schema)),
    ],
  )
}

/** As much of the description as the graph is made of. */
export interface Description {
  paths: Record<string, Record<string, { operationId: string; tags: string[]; 'x-orch-alias-of'?: string }>>
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> }
}

const SCHEMA = '#/components/schemas/'
const RESPONSE = '#/components/responses/'

/** The names of the schemas that a value refers to; shared responses are looked into. */
function referenced(value: unknown, responses: Record<string, unknown>): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => referenced(one, responses))
  if (value === null || typeof value !== 'object') return []
  const { $ref } = value as { $ref?: unknown }
  if (typeof $ref === 'string' && $ref.startsWith(SCHEMA)) return [$ref.slice(SCHEMA.length)]
  if (typeof $ref === 'string' && $ref.startsWith(RESPONSE))
    return referenced(responses[$ref.slice(RESPONSE.length)], responses)
  return Object.values(value).flatMap((one) => referenced(one, responses))
}

interface GateRule {
  id: string
  gate: string
}

/** The pipeline of the gates: the text is normalised, each gate looks at what came before it, rules belong to their gates,
 *  and every gate has a say in the decision. */
export function threatGraph(gates: readonly string[], rules: readonly GateRule[]): GraphInput {
  const stages = ['text', 'normalise', ...gates]
  return graphOf(
    [...stages, 'decision', ...rules.map(({ id }) => `rule:${id}`)],
    [
      ...stages.slice(1).map((stage, at): Edge => [stages[at]!, stage]),
      ...stages.slice(1).map((stage): Edge => [stage, 'decision']),
      ...rules.map(({ id, gate }): Edge => [`rule:${id}`, gate]),
    ],
  )
}
