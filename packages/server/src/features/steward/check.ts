/** What a check of the audit is, and the words it may end in. */

export const CHECK_IDS = [
  'chain_rewalk',
  'route_inventory',
  'locked_set',
  'formula_checks',
  'self_tests',
  'artifacts',
  'ledger_durability',
  'disk_free',
  'event_loop',
  'error_rate',
  'caches',
  'lockfile',
] as const
export type CheckId = (typeof CHECK_IDS)[number]

/** ERROR: the check did not come to an end, so nothing is known. */
export const CHECK_STATES = ['PASS', 'WARN', 'FAIL', 'ERROR'] as const
export type CheckState = (typeof CHECK_STATES)[number]

export interface Finding {
  state: CheckState
  observed: Record<string, unknown>
  /** One sentence. */
  expected: string
  /** What does not hold, by names that do not change from one audit to the next while it does not. */
  subjects: readonly string[]
  /** When the reading was taken; left out: while the check ran. */
  readAt?: string
  /** The finding rests on a committed sample and not on a reading. */
  sample?: true
}

export interface AuditCheck {
  id: CheckId
  run(signal: AbortSignal): Promise<Finding>
}

type Grave = Exclude<CheckState, 'PASS'>

/** Passed unless something does not hold. */
export const judged = (
  expected: string,
  observed: Finding['observed'],
  subjects: readonly string[],
  state: Grave = 'FAIL',
): Finding => ({ state: subjects.length === 0 ? 'PASS' : state, observed, expected, subjects })
