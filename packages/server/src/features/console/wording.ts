/** The facts of the overview in words. */
import { REVIEWS_COUNTED_TO } from '../../domain/reviews/review.ts'
import type { ServiceState, WaitingReviews } from './overview.ts'

export const countOf = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const UNITS = [
  [86_400, 'day', 'days'],
  [3_600, 'hour', 'hours'],
  [60, 'minute', 'minutes'],
] as const

/** The largest whole unit, rounded down: an age is never said to be more than it is. */
export function ageOf(seconds: number): string {
  const unit = UNITS.find(([length]) => seconds >= length)
  if (unit === undefined) return countOf(seconds, 'second', 'seconds')
  return countOf(Math.floor(seconds / unit[0]), unit[1], unit[2])
}

/** Ready is said of what passed just now, and what did not pass is named with it. */
export function serviceSentence({ ready, draining, blocking, checks }: ServiceState): string {
  const failed = checks.filter(({ outcome }) => outcome !== 'OK').map(({ name }) => name)
  if (draining) return 'Not ready: the service is shutting down.'
  if (!ready) return `Not ready: blocked by ${blocking.join(', ')}.`
  if (failed.length > 0) return `Ready, with ${failed.join(', ')} not in order.`
  return `Ready: ${countOf(checks.length, 'check', 'checks')} passed just now.`
}

export function reviewsSentence({ waiting, oldest_seconds, namespace, four_eyes }: WaitingReviews): string {
  if (waiting === null) return 'The desk did not say how many reviews wait.'
  if (waiting === 0) return `No review waits in the namespace ${namespace}.`
  const count =
    waiting > REVIEWS_COUNTED_TO
      ? `More than ${countOf(REVIEWS_COUNTED_TO, 'review', 'reviews')}`
      : countOf(waiting, 'review', 'reviews')
  const oldest = oldest_seconds === null ? '' : ` The oldest has waited for ${ageOf(oldest_seconds)}.`
  const eyes = four_eyes ? ' Each needs two people.' : ''
  return `${count} ${waiting === 1 ? 'waits' : 'wait'} in the namespace ${namespace}.${oldest}${eyes}`
}
