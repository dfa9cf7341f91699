/** The newest decisions with the way to each receipt. */
import type { NewestDecisions } from '../../domain/receipts/newest-decisions.ts'
import type { Places } from './places.ts'

export type DecisionsShown = ReturnType<typeof decisionsShown>
export type DecisionRow = DecisionsShown['items'][number]

export const decisionsShown = ({ items, ...rest }: NewestDecisions, { receipt }: Pick<Places, 'receipt'>) => ({
  items: items.map(({ verify_url, ...item }) => ({ ...item, receipt_url: receipt(item.digest), verify_url })),
  ...rest,
})
