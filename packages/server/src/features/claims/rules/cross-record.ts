/** What one record of a request says of another. Ids are compared after trimming both ends and nothing else: no case
 *  folding and no Unicode normalisation, so two ids that merely look alike stay two. */
import type { Contradiction, EvaluateRequest } from '../schemas.ts'
import type { KeyOrder } from './key-order.ts'
import { type Path, Problems, type ProblemType } from './problems.ts'
import { trim } from './whitespace.ts'

export function checkReferences(request: EvaluateRequest, keys: KeyOrder): void {
  const problems = new Problems()
  const known = explicitIds(request)
  const check: Record<string, () => void> = {
    claims: () => uniqueClaims(request, problems),
    external_signals: () => {
      const rows = keys(request.external_signals!).map((name) => ({ id: trim(name), path: ['external_signals', name] }))
      eachOnce(rows, problems, { within: known, ...UNKNOWN })
    },
    contradictions: () => {
      for (const [at, entry] of request.contradictions!.entries())
        contradictionIds(entry, ['contradictions', at], { known, keys, problems })
    },
  }
  for (const part of keys(request)) check[part]!()
  problems.refuse()
}

export const explicitIds = ({ claims }: EvaluateRequest): Set<string> =>
  new Set(claims.flatMap(({ claim_id }) => (claim_id === undefined ? [] : [trim(claim_id)])))

function uniqueClaims({ claims }: EvaluateRequest, problems: Problems): void {
  const seen = new Set<string>()
  for (const [at, { claim_id }] of claims.entries()) {
    if (claim_id === undefined) continue
    const id = trim(claim_id)
    if (seen.has(id))
      problems.add(
        ['claims', at, 'claim_id'],
        'not_unique',
        'another claim has this id; give each its own, such as c1 and c2',
      )
    seen.add(id)
  }
}

const UNKNOWN = {
  type: 'unknown_reference',
  msg: 'no claim of this request has this id; allowed: the claim_id of each entry of claims',
} as const
const NOT_NAMED = {
  type: 'not_subset',
  msg: 'is not among the claim_ids of this contradiction; allowed: those alone',
} as const

interface Known {
  known: ReadonlySet<string>
  keys: KeyOrder
  problems: Problems
}

function contradictionIds(entry: Contradiction, path: Path, { known, keys, problems }: Known): void {
  const rowsOf = (field: 'claim_ids' | 'refutes_claim_ids') =>
    (entry[field] ?? []).map((id, at) => ({ id: trim(id), path: [...path, field, at] }))
  const named = new Set(rowsOf('claim_ids').map(({ id }) => id))
  for (const field of keys(entry)) {
    if (field === 'claim_ids') eachOnce(rowsOf(field), problems, { within: known, ...UNKNOWN })
    if (field === 'refutes_claim_ids') eachOnce(rowsOf(field), problems, { within: named, ...NOT_NAMED })
  }
}

interface Membership {
  within: ReadonlySet<string>
  type: ProblemType
  msg: string
}

function eachOnce(rows: { id: string; path: Path }[], problems: Problems, { within, type, msg }: Membership): void {
  const seen = new Set<string>()
  for (const { id, path } of rows) {
    if (seen.has(id)) problems.add(path, 'not_unique', 'the same id stands here twice; name at most 1 of each')
    else if (!within.has(id)) problems.add(path, type, msg)
    seen.add(id)
  }
}
