/** Why no value is told: a kind, a share, a distance or a chemistry that no training row has. */
import type { Composition } from './descriptors.ts'
import type { PredictReply } from './schemas.ts'
import { chemistryOf, fractionsOf, kindFault, type Phase } from './tables.ts'

export type Refusal = NonNullable<PredictReply['refusal']>

const MAX_HALF_WIDTH = 1
const MIN_ALIKE = 3

interface Asked {
  composition: Composition
  key: string
  score: number
  /** Of the 95 % interval. */
  halfWidth: number
}

export const refusalOf = (training: readonly Phase[], { composition, key, score, halfWidth }: Asked): Refusal | null =>
  kindRefusal(composition) ??
  traceRefusal(training, composition) ??
  distanceRefusal(score, halfWidth) ??
  chemistryRefusal(training, composition, key)

function distanceRefusal(score: number, halfWidth: number): Refusal | null {
  if (score > 1)
    return {
      code: 'outside_domain',
      reason: `its out-of-domain score is ${score.toFixed(2)}: it lies farther from the training rows than 99 of 100 of them do`,
    }
  if (halfWidth > MAX_HALF_WIDTH)
    return {
      code: 'interval_too_wide',
      reason: `the 95 % interval would be ${halfWidth.toFixed(2)} eV/atom to each side, above ${MAX_HALF_WIDTH}`,
    }
  return null
}

function kindRefusal(composition: Composition): Refusal | null {
  const reason = kindFault(composition)
  return reason === null ? null : { code: 'outside_domain', reason }
}

/** A trace counts as a whole element in the least, the largest and the number of elements, and no row has one. */
function traceRefusal(training: readonly Phase[], composition: Composition): Refusal | null {
  const leastOf = (fractions: Composition) => Math.min(...Object.values(fractions))
  const limit = training.reduce((least, { fractions }) => Math.min(least, leastOf(fractions)), 1)
  const traces = Object.entries(fractionsOf(composition)).filter(([, x]) => x < limit - 1e-9)
  if (traces.length === 0) return null
  return {
    code: 'outside_domain',
    reason: `${traces.map(([symbol]) => symbol).join(', ')}: below ${limit.toPrecision(2)} of the atoms, and no training row has less of an element: traces and dopants were not learned`,
  }
}

/** Distances do not see that a compound of two metals and two anions is of a kind that no training row is of. */
function chemistryRefusal(training: readonly Phase[], composition: Composition, key: string): Refusal | null {
  const { elements, metals } = chemistryOf(composition)
  const alike = training.filter((phase) => {
    const own = chemistryOf(phase.counts)
    return phase.key !== key && own.elements === elements && own.metals === metals
  })
  if (alike.length >= MIN_ALIKE) return null
  return {
    code: 'outside_domain',
    reason: `${alike.length} training rows have ${elements} elements of which ${metals} are metals, and at least ${MIN_ALIKE} are needed`,
  }
}
