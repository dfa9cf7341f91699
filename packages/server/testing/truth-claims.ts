// What a reply claims by the names of its fields: labels, counts and times of readings, each with the place it stands in
// and the objects around it, so that every claim can be traced to what it was read from.

export interface Claim {
  /** Dotted, lists as `[]`. */
  path: string
  name: string
  value: unknown
  /** The object that holds the field, then what holds that, outwards. */
  around: Record<string, unknown>[]
}

const COUNT = /(?:^|_)(?:count|size|total|depth)$|^total_/
const LABEL = /^(?:label|honesty|evidence_class)$|_label$/
const TIME = /^(?:read_at|checked_at|evaluated_at|verified_at|walked_at|generated_at)$/

interface Claims {
  counts: Claim[]
  labels: Claim[]
  times: Claim[]
}

export function claimsOf(reply: unknown): Claims {
  const found: Claims = { counts: [], labels: [], times: [] }
  visit(reply, '', [], (claim) => {
    if (COUNT.test(claim.name) && typeof claim.value === 'number') found.counts.push(claim)
    if (LABEL.test(claim.name) && typeof claim.value === 'string') found.labels.push(claim)
    if (TIME.test(claim.name) && claim.value !== undefined) found.times.push(claim)
  })
  return found
}

function visit(value: unknown, path: string, around: Record<string, unknown>[], see: (claim: Claim) => void): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const item of value) visit(item, `${path}[]`, around, see)
    return
  }
  const here = [value as Record<string, unknown>, ...around]
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`
    see({ path: at, name, value: inner, around: here })
    visit(inner, at, here, see)
  }
}

/** A count that is the length of a list beside it was counted from what is shown. */
export const countsAList = ({ value, around }: Claim): boolean =>
  Object.values(around[0] ?? {}).some((sibling) => Array.isArray(sibling) && sibling.length === value)

/** A measured or live value stands with the time of its reading: beside the label, or further out in the reply. */
export const isDated = ({ around }: Claim): boolean =>
  around.some((fields) =>
    [
      'read_at',
      'fetched_at',
      'checked_at',
      'evaluated_at',
      'updated_at',
      'verified_at',
      'built_at',
      'generated_at',
      'since',
      'ts',
    ].some((name) => typeof fields[name] === 'string'),
  )
