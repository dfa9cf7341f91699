import type { ListData } from '../../../domain/observation.ts'

/** An empty list is a fact of its source and no failure. */
export const listData = <Item>(items: Item[], scope: string, next: string | null = null): ListData<Item> => ({
  items,
  count: items.length,
  data_state: items.length === 0 ? 'EMPTY' : 'AVAILABLE',
  scope,
  pagination: { next },
})

/** The parameter that asks for the next page, as it stands in a URL: a token may hold what a URL reads otherwise. */
export const nextPage = (name: string, token: string | null): string | null =>
  token === null ? null : `${name}=${encodeURIComponent(token)}`
