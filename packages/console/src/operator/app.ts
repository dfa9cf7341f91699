/** The operator page after it was sent: asks for the checks again and puts what they found where the old findings stand,
 *  in the graph and in the tables alike. Nothing moves by itself, and every text goes in as text. */
import type { Topology } from '@orch/client'
import {
  callsOf,
  countsOf,
  evidenceOf,
  latencyOf,
  momentOf,
  stateOf,
  timesOf,
  verdictOf,
} from '@orch/core/topology-words'

type Node = Topology['nodes'][number]
type Edge = Topology['edges'][number]

const page = document.querySelector<HTMLElement>('#topology')
const button = document.querySelector<HTMLButtonElement>('#reload')
const status = document.querySelector<HTMLElement>('#status')

function put(fact: string, text: string): void {
  for (const place of document.querySelectorAll(`[data-fact="${CSS.escape(fact)}"]`)) place.textContent = text
}

function putNode(node: Node): void {
  const { id, healthy } = node
  for (const place of document.querySelectorAll(`[data-node="${CSS.escape(id)}"]`)) {
    place.setAttribute('data-healthy', String(healthy))
    place.querySelector('use')?.setAttribute('href', `#state-${healthy}`)
  }
  put(`${id}.state`, stateOf(healthy))
  put(`${id}.since`, momentOf(node.since))
  put(`${id}.reason`, node.reason ?? '')
  put(`${id}.evidence`, evidenceOf(node))
  put(`${id}.latency`, latencyOf(node.latency_ms))
  put(`${id}.checked`, momentOf(node.checked_at))
}

function putEdge(edge: Edge): void {
  const id = `${edge.from}-${edge.to}`
  for (const line of document.querySelectorAll(`[data-edge="${CSS.escape(id)}"]`))
    line.setAttribute('data-observed', String(edge.observed_calls > 0))
  put(`${id}.calls`, String(edge.observed_calls))
  put(`${id}.label`, callsOf(edge.observed_calls))
  put(`${id}.times`, timesOf(edge))
}

function putTopology(found: Topology): void {
  for (const node of [found.core, ...found.nodes]) putNode(node)
  for (const edge of found.edges) putEdge(edge)
  put('verdict', verdictOf(found))
  put('counts', countsOf(found))
  put('generated', momentOf(found.generated_at))
}

async function reload(source: string): Promise<string> {
  const answer = await fetch(source, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(10_000) })
  if (!answer.ok) return `Not read: the service answered ${answer.status}. What stands here is older.`
  const topology = (await answer.json()) as Topology
  putTopology(topology)
  return `Checked again: ${verdictOf(topology)}. ${countsOf(topology)}.`
}

const source = page?.dataset.source
if (button !== null && status !== null && source !== undefined) {
  button.hidden = false
  button.addEventListener('click', async () => {
    button.disabled = true
    status.textContent = 'Checking'
    status.textContent = await reload(source).catch(() => 'Not read: no answer. What stands here is older.')
    button.disabled = false
    button.focus()
  })
}
