/** The documentation: guides, and the reference of every operation with a form to try it. */
import { type KeyboardEvent, useEffect, useMemo } from 'react'
import { Find } from '../../components/find.tsx'
import { Link } from '../../components/link.tsx'
import { NotFound, Shown } from '../../components/states.tsx'
import { useReading } from '../../data/reading.ts'
import { useKeys } from '../../frame/keys.ts'
import type { PageProps } from '../../pages.ts'
import { hrefOf, navigate } from '../../routing.ts'
import { type ApiDocument, type Described, operationsOf } from './description.ts'
import { DocumentPage } from './document.tsx'
import { type Live, useLiveValues } from './live-values.ts'
import { OperationPage } from './operation.tsx'
import { API, type DocumentEntry, documentHref, FIRST_GROUPS, groupsOf, Overview, operationHref } from './overview.tsx'

const nothing = () => ({})

export function Page({ address }: PageProps) {
  const description = useReading('runtime.openapi', nothing, '')
  const documents = useReading('docs.documents', nothing, '')
  const live = useLiveValues()
  const { id, tab } = address
  const q = address.query.get('q') ?? ''
  const api = description.value as ApiDocument | null
  const operations = useMemo(() => (api === null ? [] : operationsOf(api)), [api])
  const look = (text: string): void => {
    const query = new URLSearchParams(text === '' ? {} : { q: text })
    navigate(hrefOf({ page: 'docs', query }), { replace: id === null })
  }
  useKeys({ escape: () => look('') })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top
  useEffect(() => {
    if (tab === null) scrollTo(0, 0)
  }, [id])
  const listed = documents.value?.items ?? []
  const isDocument = id !== null && !id.startsWith(API)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the search field and of the links in here
    <div onKeyDown={moveAmongHits}>
      <div className="bar docs-bar">
        {id === null ? (
          <h1>Docs</h1>
        ) : (
          <Link className="btn" href={hrefOf({ page: 'docs' })}>
            All docs
          </Link>
        )}
        <Find
          label="Find a guide or an operation"
          placeholder="Find a guide or an operation: a path or plain words"
          value={q}
          onChange={look}
        />
      </div>
      <div className="docs">
        <Side documents={listed} operations={operations} here={id} />
        <div className="stack">
          {isDocument ? (
            <DocumentPage key={id} name={id} anchor={tab} />
          ) : (
            <Shown reading={description} what="the description">
              {(value) =>
                id === null ? (
                  <Overview api={value as unknown as ApiDocument} operations={operations} documents={listed} q={q} />
                ) : (
                  <Reference id={id.slice(API.length)} operations={operations} live={live} />
                )
              }
            </Shown>
          )}
        </div>
      </div>
    </div>
  )
}

/** From the search field Enter opens the first hit; the arrows lead to the hits, through them and back. */
function moveAmongHits(event: KeyboardEvent): void {
  const input = event.currentTarget.querySelector<HTMLElement>('.search input')
  const hits = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-hits] a')]
  const stops = [input, ...hits]
  const here = stops.indexOf(event.target as HTMLElement)
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (here < 0 || (step === undefined && !(event.key === 'Enter' && here === 0))) return
  if (step === undefined) hits[0]?.click()
  else stops[here + step]?.focus()
  if (stops[here + (step ?? 1)] !== undefined) event.preventDefault()
}

function Reference({ id, operations, live }: { id: string; operations: readonly Described[]; live: Live }) {
  const operation = operations.find((one) => one.id === id)
  if (operation === undefined)
    return (
      <NotFound title={`There is no operation ${id}`}>
        <Link href={hrefOf({ page: 'docs' })}>All operations</Link>
      </NotFound>
    )
  // The form begins anew once values that exist here are known.
  return <OperationPage key={`${id} ${live.isKnown}`} operation={operation} live={live.of(id)} />
}

function Side({
  documents,
  operations,
  here,
}: {
  documents: readonly DocumentEntry[]
  operations: readonly Described[]
  here: string | null
}) {
  const entries = [
    ...documents.map(({ name, title, group }) => ({ key: name, title, group, href: documentHref(name) })),
    ...operations.map(({ id, group }) => ({
      ...{ key: `${API}${id}`, title: id, href: operationHref(id) },
      group: `API: ${group}`,
    })),
  ]
  return (
    <nav className="side-nav" aria-label="Documentation">
      {groupsOf(entries).map(([group, items]) => (
        <details
          key={group}
          open={items.some(({ key }) => key === here) || (!here?.startsWith(API) && FIRST_GROUPS.includes(group))}
        >
          <summary>{group}</summary>
          <ul>
            {items.map(({ key, title, href }) => (
              <li key={key}>
                <Link href={href} {...(key === here ? { 'aria-current': 'page' as const } : {})}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  )
}
