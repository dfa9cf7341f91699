/** The 25 organs as the specification names them. */
type Row = readonly [string, OrganBody, string, EvidenceClass]

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

export const ORGAN_BODIES = ['brain', 'nervous', 'immune', 'circulatory', 'heart', 'skeleton'] as const
type OrganBody = (typeof ORGAN_BODIES)[number]
export const EVIDENCE_CLASSES = ['SIMULATED', 'MEASURED', 'MODELED', 'UNAVAILABLE'] as const
export type EvidenceClass = (typeof EVIDENCE_CLASSES)[number]

const toItem = (id: string, [title, body, job, evidenceClass]: Row) => ({
  id,
  title,
  body,
  job,
  evidence_class: evidenceClass,
  honesty: evidenceClass,
  run: `POST /api/orch/v1/organs/${id}`,
})

export const ORGAN_ITEMS = Object.entries(TABLE).map(([id, row]) => toItem(id, row))
