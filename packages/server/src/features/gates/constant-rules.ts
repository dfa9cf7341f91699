/** The rules of the gates that have no rules file: their constants are part of this build, and these are they. */
import { AXIS_WEIGHTS, canonicalBytes, LAMBDA, sha256Hex } from '@orch/core'
import { SESSION_RISK_BUDGET } from '../../domain/decision/decide.ts'
import type { GateName } from '../../domain/decision/verdict.ts'
import { BANNERS, FAMILIES, INTERNAL, NEAR } from '../../domain/gates/sensitivity.ts'

interface ConstantRule {
  id: string
  title: string
  severity: 'note' | 'hold'
  validator: string | null
  constants: unknown
  match: string[]
  no_match: string[]
}

const BANNER = 'SECRET//NOFORN The convoy leaves at dawn'
const SSN = 'My SSN is 123-45-6789, please file it.'
const HARMLESS = ['What is the capital of France?', 'Summarise the plan', 'Tell me a secret about pandas']

/** What the lattice sees raises the class; it stops nothing by itself, so each is a note. */
const lattice = (id: string, title: string, constants: unknown, match: string[], validator: string | null = null) => ({
  id,
  title,
  severity: 'note' as const,
  validator,
  constants,
  match,
  no_match: HARMLESS,
})

const LATTICE_RULES: readonly ConstantRule[] = [
  lattice('S-MARK', 'SECRET: a banner marking in capitals with separators', BANNERS, [
    BANNER,
    'TS//SI overview of the year',
    'CONFIDENTIAL//REL for the partners',
  ]),
  lattice(
    'S-CRED',
    'SECRET: a blocked finding of the credential rules P20 to P29',
    { from: 'P20', to: 'P29', severity: 'block' },
    ['Use AKIAQ7ZK3WJ5NDXVYH2B for the upload'],
    'as the rule that found it',
  ),
  lattice('S-INT', 'INTERNAL: a phrase that keeps a text inside', INTERNAL, [
    'This memo is for internal use only',
    'Company confidential: the figures of May',
    'Please do not distribute',
  ]),
  lattice(
    'S-PID',
    'RESTRICTED: a blocked finding of the personal-data rules, P09 aside',
    { except: ['P09', 'P20 to P29'], severity: 'block' },
    [SSN, 'Charge 4539 5787 6362 1486 today'],
    'as the rule that found it',
  ),
  lattice('S-TOPIC', `RESTRICTED: two families of subjects within ${NEAR} characters`, { FAMILIES, NEAR }, [
    'The rules of engagement follow the troop movements',
    'A sealed case about one medical record',
  ]),
]

/** A text alone does not exceed a budget; what matches is charged, and what does not is free. */
const BUDGET_RULES: readonly ConstantRule[] = [
  {
    id: 'B01',
    title: 'every text is charged by its worst axis; review once the session has spent its budget',
    severity: 'hold',
    validator: 'spent_micro + charge_micro > limit_micro',
    constants: {
      formula: 'orch.session-risk-budget/v1',
      full_charge_micro: 250_000,
      default_budget_micro: SESSION_RISK_BUDGET,
    },
    match: [SSN, BANNER],
    no_match: HARMLESS,
  },
]

const LAMBDA_RULES: readonly ConstantRule[] = [
  {
    id: 'L01',
    title: 'review below the floor of the weighted geometric mean of seven axes',
    severity: 'hold',
    validator: 'value < floor',
    constants: { formula: 'orch.lambda/v1', floor: LAMBDA.floor, ceiling: LAMBDA.trust_ceiling, weights: AXIS_WEIGHTS },
    match: [BANNER, SSN],
    no_match: HARMLESS,
  },
]

export const constantsDigest = ({ constants }: ConstantRule): string => sha256Hex(canonicalBytes(constants as object))

export const CONSTANT_RULES: Partial<Record<GateName, readonly ConstantRule[]>> = {
  'sensitivity-lattice': LATTICE_RULES,
  'session-risk-budget': BUDGET_RULES,
  'lambda-floor': LAMBDA_RULES,
}
