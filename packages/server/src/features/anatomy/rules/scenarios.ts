/** Counterfactuals: what the decision would have been had a few facts differed. The facts are a closed list. */
import { utf8Encode } from '@orch/core'
import type { ScenarioResult } from '../schemas.ts'
import type { Read } from './bodies.ts'
import { type Fault, isFields, own, sameJson, unknownFieldFaults, unknownFields } from './json-shape.ts'
import { type Parc, readParc } from './parc.ts'

type Change = ScenarioResult['requestedChanges'][number]
/** Of the kind `unreachable` where the command has no object to hold the fact. */
export type AppliedChange = ScenarioResult['changes'][number]
export type Scenario = Pick<ScenarioResult, 'id' | 'label'> & { changes: Change[] }

const under = (place: string, names: string): string[] => names.split(' ').map((name) => `${place}.${name}`)

export const SCENARIO_PATHS: readonly string[] = Object.freeze([
  ...under('context', 'humanApproval mfa networkZone riskScore purpose intendedEffect evidenceDigest'),
  ...under('principal.attrs', 'disabled assurance tenantId'),
  ...under('resource.attrs', 'requiredAssurance maxRisk requiresApproval tenantId allowedPurposes allowedEffects'),
])

export const MAX_SCENARIOS = 16
const MAX_CHANGES = 12
const MAX_LABEL_BYTES = 256
const ID = /^[A-Za-z0-9_-]{1,64}$/

export function readScenarios(value: unknown): Read<Scenario[]> {
  if (!Array.isArray(value) || value.length > MAX_SCENARIOS)
    return { ok: false, faults: [{ path: 'scenarios', message: `must be a list of at most ${MAX_SCENARIOS}` }] }
  const faults = value.flatMap((scenario, at) => scenarioFaults(scenario, `scenarios.${at}`))
  const ids = value.map((scenario) => own(scenario, 'id'))
  for (const [at, id] of ids.entries())
    if (ids.indexOf(id) < at) faults.push({ path: `scenarios.${at}.id`, message: 'must be unique' })
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, value: value.map(({ id, label, changes }) => ({ id, label: label ?? id, changes })) }
}

function scenarioFaults(value: unknown, path: string): Fault[] {
  if (!isFields(value)) return [{ path, message: 'must be an object' }]
  const faults = unknownFieldFaults(value, ['id', 'label', 'changes'], `${path}.`)
  const { id, label, changes } = value
  if (typeof id !== 'string' || !ID.test(id))
    faults.push({ path: `${path}.id`, message: `must be 1 to 64 letters, digits, "_" or "-"` })
  if (label !== undefined && !isLabel(label))
    faults.push({ path: `${path}.label`, message: `must be a text of at most ${MAX_LABEL_BYTES} bytes` })
  if (!Array.isArray(changes) || changes.length < 1 || changes.length > MAX_CHANGES)
    return [...faults, { path: `${path}.changes`, message: `must be a list of 1 to ${MAX_CHANGES}` }]
  return [...faults, ...changes.flatMap((change, at) => changeFaults(change, at, changes, `${path}.changes.${at}`))]
}

function changeFaults(change: unknown, at: number, all: readonly unknown[], path: string): Fault[] {
  if (!isFields(change) || !Object.hasOwn(change, 'value') || unknownFields(change, ['path', 'value']).length > 0)
    return [{ path, message: 'must be {path, value}' }]
  if (typeof change.path !== 'string' || !SCENARIO_PATHS.includes(change.path))
    return [{ path: `${path}.path`, message: `must be one of ${SCENARIO_PATHS.join(', ')}` }]
  // Two values for one fact: the later would win in silence.
  const repeated = all.findIndex((other) => own(other, 'path') === change.path) < at
  return repeated ? [{ path: `${path}.path`, message: 'is changed twice' }] : []
}

const isLabel = (label: unknown): boolean =>
  typeof label === 'string' && label.isWellFormed() && utf8Encode(label).length <= MAX_LABEL_BYTES

const TRUSTED_ZONES = ['command-surface', 'trusted-ci', 'trusted']

/** There are none for a command that is no intent: what would be toggled is not there. */
export function defaultScenarios(command: unknown): Scenario[] {
  const read = readParc(command, null)
  if (!read.ok) return []
  const { context, resource } = read.parc
  const zone = TRUSTED_ZONES.includes(context.networkZone) ? 'untrusted' : 'trusted'
  const { maxRisk } = resource.attrs
  return [
    scenario('humanApproval-toggle', 'Human approval the other way', ['context.humanApproval', !context.humanApproval]),
    scenario('mfa-toggle', 'Multi-factor authentication the other way', ['context.mfa', !context.mfa]),
    scenario('network-toggle', 'A network zone of the other kind', ['context.networkZone', zone]),
    scenario('risk-at-limit', 'Risk at the limit', ['context.riskScore', maxRisk]),
    scenario('risk-above-limit', 'Risk one above the limit', ...aboveLimit(maxRisk)),
  ]
}

/** At the largest integer there is nothing above, so the limit comes down instead. */
const aboveLimit = (maxRisk: Parc['resource']['attrs']['maxRisk']): [string, unknown][] =>
  maxRisk < Number.MAX_SAFE_INTEGER
    ? [['context.riskScore', maxRisk + 1]]
    : [
        ['resource.attrs.maxRisk', maxRisk - 1],
        ['context.riskScore', maxRisk],
      ]

const scenario = (id: string, label: string, ...changes: [string, unknown][]): Scenario => ({
  id,
  label,
  changes: changes.map(([path, value]) => ({ path, value })),
})

/** On a copy: every scenario starts from the base, never from the scenario before it. */
export function applyChanges(
  base: unknown,
  changes: readonly Change[],
): { command: unknown; changes: AppliedChange[] } {
  const command = structuredClone(base)
  return { command, changes: changes.map((change) => applyChange(command, change)) }
}

function applyChange(command: unknown, { path, value }: Change): AppliedChange {
  const names = path.split('.')
  const name = names.pop() as string
  const holder = names.reduce<unknown>(own, command)
  if (!isFields(holder)) return { path, before: null, after: null, kind: 'unreachable' }
  const before = own(holder, name)
  // The name is one of the closed list, so it can be no `__proto__`.
  holder[name] = structuredClone(value)
  return { path, before: before ?? null, after: value, kind: kindOf(before, value) }
}

function kindOf(before: unknown, after: unknown): 'added' | 'removed' | 'replaced' | 'unchanged' {
  const had = before !== undefined && before !== null
  if (after === null) return had ? 'removed' : 'unchanged'
  if (!had) return 'added'
  return sameJson(before, after) ? 'unchanged' : 'replaced'
}
