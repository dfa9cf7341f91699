/** What a client of the event stream asks for. */
import type { ReceiptFilter } from '../../domain/receipts/filter.ts'
import { chainNamed, type Viewer } from '../../domain/visibility.ts'
import { InputError } from '../../errors.ts'
import type { Subscription } from './event-client.ts'

/** Of the viewer only what decides which receipts he sees: clients that see the same share what is made for them. */
export function subscriptionOf(
  viewer: Viewer,
  filter: ReceiptFilter,
  place: Pick<Subscription, 'from' | 'resetFrom' | 'signal'>,
): Subscription {
  const { namespace, owner, authMode } = viewer
  const scopes = new Set([...viewer.scopes].filter((scope) => scope === 'receipts:audit'))
  const chain = filter.chain === undefined ? null : (chainNamed(viewer, filter.chain) ?? 'nobody')
  const key = JSON.stringify([namespace, owner, authMode, scopes.size, chain, Object.entries(filter).sort()])
  return { wanted: { viewer: { namespace, owner, authMode, scopes }, filter, chain }, key, ...place }
}

/** Where to begin: after what the client has seen, or with the next receipt when it says nothing. */
export function beginning(
  lastEventId: string | undefined,
  after: number | undefined,
  size: number,
): { from: number; resetFrom: number | null } {
  const known = lastEventId === undefined ? after : Number(lastEventId)
  if (known === undefined) return { from: size, resetFrom: null }
  return known < size ? { from: known + 1, resetFrom: null } : { from: 0, resetFrom: known }
}

export function lastEventId(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return header
  throw new InputError([{ loc: ['header', 'last-event-id'], msg: 'must be the id of an event', type: 'pattern' }])
}
