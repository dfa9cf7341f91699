/** What is served, surface by surface, with the label its operations declare. Read from the catalog: a surface that is not
 *  served cannot be listed, and one that is cannot be left out. */
import { isLabel, type Label } from '@orch/core'
import { surfaceOf } from '../../domain/surface.ts'
import type { CatalogEntry } from '../../ports.ts'
import type { Merge } from './contract.ts'

export interface SurfaceLabels {
  name: string
  operations: number
  /** Every label one of its operations declares, the weakest first. */
  declared: readonly Label[]
  label: Label
}

/** From the weakest claim about a value to the strongest. */
const WEAKEST_FIRST: readonly Label[] = [
  'SIMULATION-ONLY',
  'SIMULATED',
  'MODELED',
  'STRUCTURAL-ONLY',
  'SAMPLE',
  'MEASURED',
  'LIVE',
]
/** These say that there is no value: they grade a surface only where it has nothing else. */
const WITHOUT_VALUE: readonly Label[] = ['ROADMAP', 'UNAVAILABLE']

type Declared = Pick<CatalogEntry, 'id' | 'labels'>

export function surfaceLabels(catalog: readonly Declared[]): SurfaceLabels[] {
  const found = Map.groupBy(catalog, ({ id }) => surfaceOf(id))
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, operations]) => labelled(name, operations))
}

function labelled(name: string, operations: readonly Declared[]): SurfaceLabels {
  const said = new Set(operations.flatMap(({ labels }) => labels).filter(isLabel))
  const declared = [...WEAKEST_FIRST, ...WITHOUT_VALUE].filter((label) => said.has(label))
  // Records and verdicts of structure declare no label: nothing about them was measured.
  return { name, operations: operations.length, declared, label: declared[0] ?? 'STRUCTURAL-ONLY' }
}

export const explainLabel = ({ operations, declared }: SurfaceLabels): string =>
  declared.length === 0
    ? `its operations (${operations}) serve records and verdicts and declare no label of their own`
    : `the weakest of what its operations (${operations}) declare: ${declared.join(', ')}`

export const listCapabilities = (surfaces: readonly SurfaceLabels[], merges: readonly Merge[]) =>
  surfaces.map(({ name, label }) => ({ name, label, prs: pullRequests(name, merges) }))

/** As a merge or squash commit names its pull request. The subject is somebody's text: only the number is taken. */
const PULL_REQUEST = /^Merge pull request #(\d{1,9})\b|\(#(\d{1,9})\)$/

function pullRequests(surface: string, merges: readonly Merge[]): number[] {
  const numbers = merges
    .filter(({ surfaces }) => surfaces.includes(surface))
    .map(({ subject }) => PULL_REQUEST.exec(subject))
    .flatMap((match) => (match === null ? [] : [Number(match[1] ?? match[2])]))
  return [...new Set(numbers)].sort((a, b) => a - b)
}
