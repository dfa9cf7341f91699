/** Components of the lockfile that an advisory of the sample is about, each as far through the loop as what was read here
 *  takes it. No human took part, so none of them passes the approval. */
import { advance } from './advance.ts'
import { type Advisory, type AdvisorySample, affectedBy, isOrdered } from './advisories.ts'
import type { Component } from './lockfile.ts'
import type { LoopFinding } from './schemas.ts'
import { GATE_IDS, type GateId, type Gates } from './state-machine.ts'

interface Known {
  sample: AdvisorySample
  /** Every entry of the lockfile states its version. */
  isBillComplete: boolean
}

export function findAll(components: readonly Component[], sample: AdvisorySample): LoopFinding[] {
  const known = { sample, isBillComplete: components.every(({ version }) => version !== null) }
  const byName = Map.groupBy(
    sample.advisories.flatMap((advisory) => packagesOf(advisory).map((name) => ({ name, advisory }))),
    ({ name }) => name,
  )
  return components.flatMap((component) =>
    (byName.get(component.name) ?? []).flatMap(({ advisory }) => toFinding(component, advisory, known)),
  )
}

export const packagesOf = ({ affected }: Advisory): string[] => [...new Set(affected.map((one) => one.package.name))]

function toFinding(component: Component, advisory: Advisory, known: Known): LoopFinding[] {
  const { name, version, path, dev } = component
  const affect = version === null ? null : affectedBy(advisory, name, version)
  if (version === null || affect === null) return []
  const gates = gatesOf(component, advisory, affect.fixed_in, known)
  const { state, blocked_by } = advance(gates)
  return [
    {
      advisory_id: advisory.id,
      aliases: advisory.aliases,
      package: name,
      version,
      ...affect,
      path,
      dev,
      severity: advisory.severity,
      source: advisory.source.url,
      state,
      blocked_by: [...blocked_by],
      gates,
    },
  ]
}

/** What each gate is judged by, from the lockfile and the sample alone. Those that need a person, a deployment graph, a
 *  rollback plan or a signed artifact have nothing to read here and stay UNKNOWN. */
function gatesOf(component: Component, advisory: Advisory, fixedIn: string | null, known: Known): Gates {
  const judged: Partial<Record<GateId, boolean>> = {
    SBOM_VERIFIED: known.isBillComplete,
    VULNERABILITY_VALIDATED: isOrdered(advisory),
    PROVENANCE_VERIFIED: component.pinned,
    NO_UNRESOLVED_CONTRADICTION: !isContradicted(component, advisory, fixedIn, known.sample),
  }
  const stateOf = (id: GateId) => (judged[id] === undefined ? 'UNKNOWN' : judged[id] ? 'PASS' : 'FAIL')
  return Object.fromEntries(GATE_IDS.map((id) => [id, stateOf(id)])) as Gates
}

/** Another entry about the same vulnerability and package says that this version is not affected, there is no version with
 *  the fix, or the version that is said to have it is affected by this very advisory. */
function isContradicted(
  { name, version }: Component,
  advisory: Advisory,
  fixedIn: string | null,
  { advisories }: AdvisorySample,
): boolean {
  if (fixedIn === null || affectedBy(advisory, name, fixedIn) !== null) return true
  const same = advisories.filter(
    (one) => one.id !== advisory.id && one.aliases.some((alias) => advisory.aliases.includes(alias)),
  )
  return same.some((one) => packagesOf(one).includes(name) && affectedBy(one, name, version!) === null)
}
