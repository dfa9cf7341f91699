/** The catalogue of surfaces: what the served operations belong to, and how many requests each answered lately. */
import { surfaceOf } from '../../domain/surface.ts'
import type { CallSeries, CatalogEntry } from '../../ports.ts'

export interface Surface {
  id: string
  /** Requests that ended in the window. */
  demand: number
}

/** In small letters, as a path may spell it: `organHealth` is `organ-health`. */
const surfaceId = (operationId: string): string =>
  surfaceOf(operationId).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export function listSurfaces(
  catalog: readonly Pick<CatalogEntry, 'id'>[],
  calls: readonly Pick<CallSeries, 'id' | 'recent'>[],
): Surface[] {
  const demands = new Map(catalog.map(({ id }) => [surfaceId(id), 0]))
  for (const { id, recent } of calls) {
    const known = demands.get(surfaceId(id))
    if (known !== undefined) demands.set(surfaceId(id), known + recent)
  }
  return [...demands].map(([id, demand]) => ({ id, demand })).sort((one, other) => (one.id < other.id ? -1 : 1))
}
