/** Arrow text as a workflow: `plan > search, code > review!`. Stages follow each other, a comma parts what runs at once,
 *  `!` marks what a person decides, and everything takes a second. Text without an arrow is one node. */
import { sha256Hex } from '@orch/core'
import { NeedsInput, type Structured } from '../organ.ts'

const MAX_ID = 32
const MAX_NODES = 64
const MAX_EDGES = 256
const SECOND = 1000

export function graphPrompt(prompt: string): Structured | NeedsInput {
  const stages = (prompt.includes('>') ? prompt.split('>') : [])
    .map((stage) => stage.split(',').map((part) => part.trim()))
    .map((parts) => parts.filter((part) => part.replaceAll('!', '').trim() !== ''))
    .filter((parts) => parts.length > 0)
  if (stages.length === 0) return { op: 'run', nodes: [toNode(prompt.trim(), new Set())], edges: [] }
  const count = stages.reduce((sum, parts) => sum + parts.length, 0)
  const links = stages.slice(1).reduce((sum, parts, at) => sum + parts.length * stages[at]!.length, 0)
  if (count > MAX_NODES || links > MAX_EDGES)
    return new NeedsInput({ nodes: count, edges: links }, [
      {
        field: 'nodes',
        type: `at most ${MAX_NODES} nodes and ${MAX_EDGES} edges`,
        example: 'plan > search, code > review!',
      },
    ])
  const taken = new Set<string>()
  const built = stages.map((parts) =>
    parts.map((part) =>
      part.endsWith('!') ? { ...toNode(part.slice(0, -1).trim(), taken), kind: 'human' } : toNode(part, taken),
    ),
  )
  return {
    op: 'run',
    nodes: built.flat(),
    edges: built
      .slice(1)
      .flatMap((nodes, at) => built[at]!.flatMap(({ id: from }) => nodes.map(({ id: to }) => ({ from, to })))),
  }
}

function toNode(name: string, taken: Set<string>) {
  // A long name keeps its beginning and a digest: two of them are never the same node.
  const text = name.toWellFormed()
  const short = text.length <= MAX_ID - 4 ? text : `${text.slice(0, 16).toWellFormed()}~${sha256Hex(text).slice(0, 8)}`
  let id = short
  for (let copy = 2; taken.has(id); copy += 1) id = `${short}-${copy}`
  taken.add(id)
  return { id, mean_ms: SECOND }
}
