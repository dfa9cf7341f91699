// Reviews as lines of a list, and the one argument the commands about one review take.
import type { ReviewItem } from '@orch/client'
import { usage } from './exit.ts'
import { printable, type Terminal } from './terminal.ts'

export function reviewId(args: readonly string[]): string {
  const [id = ''] = args
  if (args.length !== 1 || id === '') throw usage('name one review; orch review ls lists them')
  return id
}

export function reviewText(item: ReviewItem, { paint }: Pick<Terminal, 'paint'>): string {
  const { review_id, state, created_at, expires_at, operation, reasons, lambda, votes, required_approvals } = item
  const shown = state === 'pending' ? paint('yellow', state) : state === 'denied' ? paint('red', state) : state
  const fields = [review_id, created_at, `until ${expires_at}`, operation, reasons.join(',')].map(printable)
  const counts = [`lambda ${lambda ?? 'UNAVAILABLE'}`, `${votes.length}/${required_approvals} votes`]
  return `${[shown, ...fields, ...counts].join('  ')}\n`
}
