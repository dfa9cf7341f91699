/** Which sets of requirements this deployment meets now. A set fits when every one of its rows is LIVE and every fact it
 *  asks for holds; nothing is rounded up. */
import requirementSets from './requirement-sets.json' with { type: 'json' }
import type { AssuranceRow, Fit } from './schemas.ts'

export interface Facts {
  durability: string
  signer: 'LIVE' | 'DEMO' | 'UNSIGNED' | 'UNAVAILABLE'
  authMode: string
  productionReady: boolean
}

type FactName = 'signed' | 'production_signer' | 'durable_ledger' | 'credential_registry' | 'accredited'

const FACTS: Record<FactName, { holds(facts: Facts): boolean; otherwise: string }> = {
  signed: {
    holds: ({ signer }) => signer === 'LIVE' || signer === 'DEMO',
    otherwise: 'receipts are not signed now',
  },
  production_signer: {
    holds: ({ signer, productionReady }) => signer === 'LIVE' && productionReady,
    otherwise: 'no production signer over a durable, verified ledger answers',
  },
  durable_ledger: {
    holds: ({ durability }) => durability !== 'EPHEMERAL',
    otherwise: 'the ledger is in memory and ends with the process',
  },
  credential_registry: {
    holds: ({ authMode }) => authMode === 'registry',
    otherwise: 'there is no credential registry, so actors are not told apart',
  },
  accredited: { holds: () => false, otherwise: 'no accreditation exists' },
}

interface RequirementSet {
  id: Fit['sets'][number]['id']
  what: string
  rows: readonly string[]
  facts: readonly FactName[]
}

const REQUIREMENT_SETS = requirementSets as readonly RequirementSet[]

export function assessFit(rows: readonly AssuranceRow[], facts: Facts, evaluatedAt: string): Fit {
  const sets = REQUIREMENT_SETS.map((set) => {
    const missing = [...missingRows(set, rows), ...missingFacts(set, facts)]
    return { id: set.id, what: set.what, requires: [...set.rows, ...set.facts], fits: missing.length === 0, missing }
  })
  return {
    surface: 'assurance.fit',
    description: 'Which sets of requirements this deployment meets at this moment, from the checks of the matrix',
    fitting: sets.filter(({ fits }) => fits).map(({ id }) => id),
    sets,
    walk: findWalk(rows),
    honest_note: 'A set that fits is met now by this deployment; it is no certificate and no accreditation.',
    evaluated_at: evaluatedAt,
  }
}

/** The walk behind the row about the ledger; null where none could be made. */
const findWalk = (rows: readonly AssuranceRow[]): Fit['walk'] =>
  (rows.find(({ req_id }) => req_id === 'SI7-1')?.evidence as { walk?: Fit['walk'] } | null)?.walk ?? null

type Missing = Fit['sets'][number]['missing'][number]

const missingRows = (set: RequirementSet, rows: readonly AssuranceRow[]): Missing[] =>
  set.rows.flatMap((id) => {
    const row = rows.find(({ req_id }) => req_id === id)
    return row?.status === 'LIVE' ? [] : [{ requirement: id, detail: row?.status_detail ?? 'there is no such row' }]
  })

const missingFacts = (set: RequirementSet, facts: Facts): Missing[] =>
  set.facts.flatMap((name) => (FACTS[name].holds(facts) ? [] : [{ requirement: name, detail: FACTS[name].otherwise }]))
