/** The 25 organs: what the specification says of each, joined to the organ that runs. */

import { notBuilt } from './not-built.ts'
import type { Organ } from './organ.ts'
import type { OrganItem } from './schemas.ts'

type Row = readonly [OrganItem['title'], OrganItem['body'], OrganItem['job'], OrganItem['evidence_class']]

const TABLE: Readonly<Record<string, Row>> = {
  N1: ['Serve', 'brain', 'inference serving', 'SIMULATED'],
  N2: ['Graph', 'nervous', 'agent orchestration', 'SIMULATED'],
  N3: ['Guard', 'immune', 'input/output safeguard', 'MEASURED'],
  N4: ['Mosaic', 'circulatory', 'data mosaic', 'SIMULATED'],
  N5: ['Lattice', 'immune', 'the service overlay', 'MODELED'],
  N6: ['Cover', 'heart', 'P&C insurance core', 'SIMULATED'],
  N7: ['Quant', 'brain', 'algorithmic research and backtest', 'SIMULATED'],
  N8: ['Title', 'skeleton', 'property records', 'SIMULATED'],
  N9: ['Retrieve', 'nervous', 'retrieval and memory', 'MEASURED'],
  N10: ['Observe', 'immune', 'trace and evaluation', 'MEASURED'],
  N11: ['Tune', 'brain', 'receipted fine-tune', 'UNAVAILABLE'],
  N12: ['Schema', 'skeleton', 'constrained generation', 'SIMULATED'],
  N13: ['Energy', 'circulatory', 'joule accounting', 'MODELED'],
  N14: ['Tool', 'nervous', 'agent tool protocol', 'MEASURED'],
  N15: ['Memory', 'brain', 'persistent agent memory', 'MEASURED'],
  N16: ['Eval', 'immune', 'offline evaluation', 'MEASURED'],
  N17: ['Mesh', 'circulatory', 'distributed inference', 'SIMULATED'],
  N18: ['Route', 'circulatory', 'LLM gateway and routing', 'MEASURED'],
  N19: ['Cache', 'circulatory', 'prefix and semantic cache', 'MEASURED'],
  N20: ['Voice', 'nervous', 'realtime duplex voice', 'SIMULATED'],
  N21: ['Sandbox', 'skeleton', 'isolated agent code execution', 'MEASURED'],
  N22: ['Identity', 'skeleton', 'non-human agent identity', 'SIMULATED'],
  N23: ['Rails', 'immune', 'conversation rails', 'MEASURED'],
  N24: ['Browser', 'nervous', 'agent browser actuation', 'SIMULATED'],
  N25: ['Policy', 'immune', 'authorization policy for tools', 'MEASURED'],
}

export interface RegisteredOrgan {
  item: OrganItem
  organ: Organ
}

const toItem = (id: string, [title, body, job, evidenceClass]: Row): OrganItem => ({
  id,
  title,
  body,
  job,
  evidence_class: evidenceClass,
  honesty: evidenceClass,
  run: `POST /api/orch/v1/organs/${id}`,
})

/** What every class must declare for itself. */
const DECLARED: Record<OrganItem['evidence_class'], readonly string[]> = {
  SIMULATED: ['assumptions', 'not_real'],
  MEASURED: [],
  MODELED: ['equation'],
  UNAVAILABLE: [],
}

/** In the order of the table. Throws where an organ and its row do not fit: such a build must not start. */
export function joinOrgans(organs: readonly Organ[]): ReadonlyMap<string, RegisteredOrgan> {
  const byId = new Map(organs.map((organ) => [organ.id, organ]))
  if (byId.size !== organs.length) throw new Error('two organs have the same id')
  for (const { id, ops, example, evidence } of organs) {
    const row = TABLE[id]
    if (row === undefined) throw new Error(`the specification has no organ ${id}`)
    const [first] = Object.keys(ops)
    if (first === undefined || example.request.op !== first)
      throw new Error(`the example of ${id} must be a request of its first op`)
    const lacking = DECLARED[row[3]].filter((name) => !(name in evidence))
    if (lacking.length > 0) throw new Error(`${id} is ${row[3]} and does not declare ${lacking.join(', ')}`)
  }
  return new Map(
    Object.entries(TABLE).map(([id, row]) => [id, { item: toItem(id, row), organ: byId.get(id) ?? notBuilt(id) }]),
  )
}
