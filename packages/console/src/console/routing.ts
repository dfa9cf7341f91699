/** Addresses of the console: `/console/PAGE[/ID]?filters#tab`, and `/docs[/ID]` for the documentation, whose ids have
 *  slashes of their own. Whatever a reader sees can be reloaded, gone back to and
 *  sent to somebody else. */
import { useMemo, useSyncExternalStore } from 'react'

export interface Address {
  page: string
  id: string | null
  query: URLSearchParams
  tab: string | null
}

const BASE = '/console/'
const DOCS = 'docs'
const CHANGED = 'orch:address'

function parseAddress(url: URL): Address {
  const isDocs = new RegExp(`^/${DOCS}(?:/|$)`).test(url.pathname)
  const [page = '', id = ''] = isDocs
    ? [DOCS, url.pathname.slice(DOCS.length + 2)]
    : url.pathname.slice(BASE.length).split('/')
  const tab = url.hash.slice(1)
  return {
    page,
    id: id === '' ? null : decodeURIComponent(id),
    query: url.searchParams,
    tab: tab === '' ? null : decodeURIComponent(tab),
  }
}

export function hrefOf({ page, id = null, query, tab = null }: Partial<Address> & { page: string }): string {
  const search = query?.toString() ?? ''
  return [
    page === DOCS ? `/${DOCS}` : BASE + page,
    id === null ? '' : `/${page === DOCS ? id.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(id)}`,
    search === '' ? '' : `?${search}`,
    tab === null ? '' : `#${encodeURIComponent(tab)}`,
  ].join('')
}

/** `replace`: what only narrows or selects is not a step that Back should undo one by one. */
export function navigate(href: string, { replace = false }: { replace?: boolean } = {}): void {
  if (href === location.pathname + location.search + location.hash) return
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  dispatchEvent(new Event(CHANGED))
}

function subscribe(changed: () => void): () => void {
  const names = ['popstate', 'hashchange', CHANGED]
  for (const name of names) addEventListener(name, changed)
  return () => {
    for (const name of names) removeEventListener(name, changed)
  }
}

export function useAddress(): Address {
  const href = useSyncExternalStore(subscribe, () => location.href)
  return useMemo(() => parseAddress(new URL(href)), [href])
}
