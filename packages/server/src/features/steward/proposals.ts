/** Proposals, one rule for each check. A rule says what would be tried and how it would show; nothing is tried. Severity,
 *  effort and confidence are declared by the rules and measured by nobody, so every proposal is MODELED. */
import { canonicalize, sha256Hex } from '@orch/core'
import type { AuditRecord } from './audit.ts'
import type { CheckId, CheckState } from './check.ts'
import type { AuditedCheck, Proposal } from './schemas.ts'

interface Rule {
  severity: 1 | 2 | 3 | 4 | 5
  effort: 1 | 2 | 3 | 4 | 5
  title: string
  objective: string
  hypothesis: string
  tests: readonly string[]
  stop_conditions: readonly string[]
  /** One proposal for each subject, in place of one for all of them. */
  each?: true
  /** What is proposed on a warning, where that is another matter than a failure. */
  warned?: Plan
}

type Plan = Pick<Rule, 'severity' | 'title' | 'objective' | 'hypothesis' | 'tests' | 'stop_conditions'>

const READ_AGAIN = '/api/orch/v1/steward/status'
const MAX_PROPOSALS = 20
const MAX_NAMED = 3
const MAX_REFS = 200

const RULES: Record<CheckId, Rule> = {
  chain_rewalk: {
    severity: 5,
    effort: 3,
    title: 'Restore the chain that does not hold',
    objective: 'every link of the ledger holds again, and what was written over is known',
    hypothesis:
      'the store was changed or damaged outside of the append path, so its bytes are not those that were signed',
    tests: [
      'orch verify over an export that was made before the break',
      'restore the newest snapshot and walk it whole',
    ],
    stop_conditions: [
      'the break lies in every snapshot as well',
      'a checkpoint outside the store contradicts the restored one',
    ],
    warned: {
      severity: 2,
      title: 'Walk what the audit had no time for',
      objective: 'every chain was walked, those that ended long ago as well',
      hypothesis: 'the ledger has more chains than one audit walks; no link was found that does not hold',
      tests: ['orch verify over an export of the whole ledger'],
      stop_conditions: ['the rolling walk of the whole ledger has ended since, and found nothing'],
    },
  },
  route_inventory: {
    severity: 3,
    effort: 3,
    title: 'Serve the routes that the specification names',
    objective: 'every route of the specification is answered by this build',
    hypothesis: 'the operation was never mounted or was removed from the table of operations',
    tests: ['ask each missing route and expect another status than 404', 'compare openapi.json with the specification'],
    stop_conditions: ['the specification was changed on purpose: then its list is what has to change'],
  },
  locked_set: {
    severity: 5,
    effort: 1,
    title: 'Bring the witnesses of the locked set to agreement',
    objective: 'every witness names the same eight formulas and the same pin',
    hypothesis: 'the formula registry or the constants were edited, or a formula no longer passes its check',
    tests: ['recompute the digest of the registry', 'run the property checks of the formula that is missing'],
    stop_conditions: ['the doctrine itself was changed on purpose'],
  },
  formula_checks: {
    severity: 5,
    effort: 2,
    title: 'Mend the formula that has a counterexample',
    objective: 'no property of a locked formula has a counterexample',
    hypothesis: 'the implementation no longer keeps the invariant that it is named for',
    tests: ['run the counterexample as a test of its own', 'the mutation tests of the formula'],
    stop_conditions: ['the counterexample lies outside of what the formula states'],
  },
  self_tests: {
    severity: 4,
    effort: 2,
    title: 'Mend the surface that misses its known answers',
    objective: 'every surface computes its known answers',
    hypothesis: 'a change of the method or of its library changed results',
    tests: ['the vectors of the surface, one by one'],
    stop_conditions: ['the known answer itself is shown to be wrong by another computation'],
  },
  artifacts: {
    severity: 4,
    effort: 1,
    title: 'Restore the data file whose digest differs',
    objective: 'every committed data file is the one that was reviewed',
    hypothesis: 'the file was edited, cut or merged without its digest',
    tests: ['compare the file with the commit it came from', 'node scripts/seal-data.ts after a reviewed change'],
    stop_conditions: ['the change was reviewed: then its digest is what has to change'],
  },
  ledger_durability: {
    severity: 4,
    effort: 2,
    title: 'Make the ledger durable and writable',
    objective: 'what is acknowledged outlives the process, and receipts can be appended',
    hypothesis: 'the service runs on a store in memory, its store failed, or the guard does not answer',
    tests: ['read the ledger part of /api/readyz', 'append, restart, and find the receipt'],
    stop_conditions: ['the instance is a trial and its receipts may be lost'],
  },
  disk_free: {
    severity: 4,
    effort: 1,
    title: 'Free room on the disk of the data folder',
    objective: 'at least twice the required bytes are free',
    hypothesis: 'the ledger, its snapshots or something else on the volume grew',
    tests: ['read the free bytes before and after'],
    stop_conditions: ['what would be removed is evidence'],
  },
  event_loop: {
    severity: 3,
    effort: 3,
    title: 'Find what holds up the event loop',
    objective: 'the event loop is on time again',
    hypothesis: 'work that belongs in a worker thread runs where requests are served, or the machine is overloaded',
    tests: ['a CPU profile of the process under the same load', 'the same load on an idle machine'],
    stop_conditions: ['the machine itself has no processor time left'],
  },
  error_rate: {
    severity: 4,
    effort: 3,
    title: 'Find why requests end in server errors',
    objective: 'fewer than one in a hundred requests of five minutes ends in a 5xx',
    hypothesis: 'one operation or something it depends on fails',
    tests: ['orch_http_requests_total by route and code', 'the log lines of the failing request ids'],
    stop_conditions: ['the errors are refusals that protect the ledger: then their cause has its own proposal'],
  },
  caches: {
    severity: 2,
    effort: 2,
    title: 'Bring stale readings of other services up to date',
    objective: 'every configured source answers, and no reading is older than three intervals',
    hypothesis: 'the source does not answer, refuses us, or answers in another form',
    tests: ['ask the source by hand with the same address', 'read its failure code in the readiness panel'],
    stop_conditions: ['the source is gone for good: then its setting has to go'],
  },
  lockfile: {
    severity: 4,
    effort: 2,
    title: 'Update the component that an advisory names',
    objective: 'no component is named by a known advisory',
    hypothesis: 'a version with the fix can be installed without changing what we use of the component',
    tests: ['install the fixed version and run the whole suite', 'run the security loop again'],
    stop_conditions: ['the fixed version breaks a promise of the interface', 'the advisory is withdrawn'],
    each: true,
  },
}

/** Of a check that did not come to an end only that is known: the proposal is about the check and not about its subject. */
const unfinished = (id: CheckId): Plan => ({
  severity: Math.min(RULES[id].severity, MAX_UNKNOWN_SEVERITY) as Rule['severity'],
  title: 'Find out why a check of the audit did not come to an end',
  objective: `the check ${id} comes to an end within the budget of the audit, whatever it then finds`,
  hypothesis:
    'what the check reads was slow, absent or refused, or the machine was overloaded; its subject is not known',
  tests: ['read the code that the check gives in the audit', `read ${READ_AGAIN} again when the machine is idle`],
  stop_conditions: ['the check ends: what it then finds has a proposal of its own'],
})
const MAX_UNKNOWN_SEVERITY = 3

const planOf = (id: CheckId, state: CheckState): Plan =>
  state === 'ERROR' ? unfinished(id) : ((state === 'WARN' ? RULES[id].warned : undefined) ?? RULES[id])

/** FAIL was observed; WARN is a bound that was chosen; of an ERROR nothing is known but that the check did not end. */
const CONFIDENCE: Record<CheckState, number> = { PASS: 0, FAIL: 1, WARN: 0.75, ERROR: 0.5 }

export const BASIS =
  'one declared rule for each check that does not pass; severity and effort are the rule’s (an ERROR is at most 3 grave: only that the check did not end is known), confidence is 1 for FAIL, 0.75 for WARN, 0.5 for ERROR; priority = severity * confidence / effort'

export function proposalsFor(audit: AuditRecord): Proposal[] {
  return audit.checks
    .filter(({ state }) => state !== 'PASS')
    .flatMap((check) =>
      (RULES[check.id].each ? check.subjects.map((one) => [one]) : [check.subjects]).map(proposal(check)),
    )
    .sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_PROPOSALS)
}

const proposal =
  ({ id, state, expected }: AuditedCheck) =>
  (subjects: readonly string[]): Proposal => {
    const { severity, title, objective, hypothesis, tests, stop_conditions } = planOf(id, state)
    const { effort } = RULES[id]
    const rule = state === 'ERROR' ? 'steward.unfinished_check/v1' : `steward.${id}/v1`
    const confidence = CONFIDENCE[state]
    return {
      id: sha256Hex(canonicalize({ rule, evidence: [...subjects].sort() })),
      rule,
      label: 'MODELED',
      title: `${title}: ${namesOf(subjects)}`,
      objective,
      hypothesis,
      evidence_refs: [`check:${id}:${state}`, ...subjects.slice(0, MAX_REFS)],
      tests: [...tests],
      success_metrics: [`check ${id} of ${READ_AGAIN} is PASS`, expected],
      stop_conditions: [...stop_conditions],
      severity,
      effort,
      confidence,
      priority: Math.round(((severity * confidence) / effort) * 1e6) / 1e6,
    }
  }

const namesOf = (subjects: readonly string[]): string =>
  subjects.length <= MAX_NAMED
    ? subjects.join(', ')
    : `${subjects.slice(0, MAX_NAMED).join(', ')} and ${subjects.length - MAX_NAMED} more`
