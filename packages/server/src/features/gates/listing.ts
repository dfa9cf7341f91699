/** The gates as they are listed. Everything shown is read from what is in charge at this moment. */

import { gateDigest } from '../../domain/decision/decision-view.ts'
import { DEADLINE_MS } from '../../domain/decision/examine.ts'
import { GATE_NAMES, type GateName } from '../../domain/decision/verdict.ts'
import type { Rule, Rules } from '../../domain/gates/rules.ts'
import { ServiceError } from '../../errors.ts'
import type { Gates, Policies, Tallies } from '../../governance/contract.ts'
import { CONSTANT_RULES, constantsDigest } from './constant-rules.ts'
import type { GateRow } from './schemas.ts'

/** The rules and policies in charge, both; where one is missing no gate runs, and none is listed. */
export interface InCharge {
  rules: Rules
  policies: Pick<Policies, 'status' | 'texts'>
  policyDigest: string
  reloadFailed: string | null
}

export function inCharge(gates: Pick<Gates, 'rules' | 'status'>, policies: Policies): InCharge {
  const rules = gates.rules()
  const { policy_digest: policyDigest, reload_failed } = policies.status()
  if (rules === null || policyDigest === null)
    throw new ServiceError('gates_unavailable', 'the gate rules or policies did not load; read /api/readyz')
  return { rules, policies, policyDigest, reloadFailed: gates.status().reload_failed ?? reload_failed }
}

export function gateNamed(name: string): GateName {
  const found = GATE_NAMES.find((gate) => gate === name)
  if (found === undefined)
    throw new ServiceError('gate_not_found', 'path.name names no gate; GET /api/orch/v1/gates lists them')
  return found
}

export const gateList = (charge: InCharge, tallies: Tallies) => {
  const gates = GATE_NAMES.map((name) => gateRow(name, charge, tallies))
  return { count: gates.length, gates, reload_failed: charge.reloadFailed }
}

export const gateDetail = (name: GateName, charge: InCharge, tallies: Tallies) => ({
  ...gateRow(name, charge, tallies),
  ...(name === 'cedar-policy' ? { policies: policyTexts(charge) } : { rules: shownRules(name, charge, tallies) }),
})

const ARITHMETIC = 'exact-integers/v1'
/** Only the gates that walk over the text have a deadline; the others do a bounded number of steps. What is missing here is
 *  as the rules or the policies in charge say. */
const NATURE: Record<GateName, Pick<GateRow, 'stage' | 'deadline_ms'> & Partial<Pick<GateRow, 'version' | 'engine'>>> =
  {
    'sensitivity-lattice': { stage: 'S2', deadline_ms: null },
    'threat-signature-scan': { stage: 'S3', deadline_ms: DEADLINE_MS },
    'pii-egress-guard': { stage: 'S3', deadline_ms: DEADLINE_MS },
    'cedar-policy': { stage: 'S4', version: 'orch.cedar-gate/v1', deadline_ms: null },
    'session-risk-budget': {
      stage: 'S5',
      version: 'orch.session-risk-budget/v1',
      engine: ARITHMETIC,
      deadline_ms: null,
    },
    'lambda-floor': { stage: 'S6', version: 'orch.lambda/v1', engine: ARITHMETIC, deadline_ms: null },
  }

function gateRow(name: GateName, charge: InCharge, { since, gates }: Tallies): GateRow {
  const { rules, policies, policyDigest } = charge
  const { evaluated, fired, timed_out, errors } = gates.find((tally) => tally.name === name) ?? NEVER_RUN
  return {
    name,
    version: rules.version,
    engine: name === 'cedar-policy' ? policies.status().engine : rules.engine,
    ...NATURE[name],
    rule_count: ruleCount(name, charge),
    digest: gateDigest(name, { rules_digest: rules.digest, policy_digest: policyDigest }),
    evaluated,
    fired,
    timed_out,
    errors,
    since,
    label: 'MEASURED',
  }
}

const NEVER_RUN = { evaluated: 0, fired: 0, timed_out: 0, errors: 0 }

const textRules = (name: GateName, { rules }: InCharge): Rule[] => rules.rules.filter(({ gate }) => gate === name)

function ruleCount(name: GateName, charge: InCharge): number {
  if (name === 'cedar-policy') return charge.policies.status().policies
  return (CONSTANT_RULES[name] ?? textRules(name, charge)).length
}

function shownRules(name: GateName, charge: InCharge, { rules: fired, gates }: Tallies) {
  const constant = CONSTANT_RULES[name]
  if (constant === undefined)
    return textRules(name, charge).map(
      ({ id, version, title, severity, validator, patternDigest, match, no_match }) => ({
        ...{ id, version, title, severity, validator, pattern_sha256: patternDigest(), match, no_match },
        fired: fired[id] ?? 0,
      }),
    )
  const own = gates.find((gate) => gate.name === name)?.fired ?? 0
  return constant.map((rule) => ({
    ...{ id: rule.id, version: 1, title: rule.title, validator: rule.validator },
    severity: { input: rule.severity, output: rule.severity },
    pattern_sha256: constantsDigest(rule),
    fired: name === 'sensitivity-lattice' ? (fired[rule.id] ?? 0) : own,
    ...{ match: rule.match, no_match: rule.no_match },
  }))
}

function policyTexts({ policies }: InCharge) {
  const digests = new Map(policies.status().files.map(({ name, sha256 }) => [name, sha256]))
  return policies.texts().map(({ name, text }) => ({ name, sha256: digests.get(name) ?? '', text }))
}

/** What an empty test runs: the first example on which the gate has something to say. */
export function exampleOf(name: GateName, charge: InCharge): { text: string; effect?: 'write' } {
  // No text meets the policies by itself: what it would do does.
  if (name === 'cedar-policy') return { text: 'Update the index', effect: 'write' }
  return { text: (CONSTANT_RULES[name] ?? textRules(name, charge))[0]?.match[0] ?? 'What is the capital of France?' }
}
