/** What the documentation holds as lists: all of it, or what a search finds. */
import type { Reply } from '@orch/client'
import { Link } from '../../components/link.tsx'
import { hrefOf } from '../../routing.ts'
import { type ApiDocument, type Described, found, foundDocuments } from './description.ts'

export type DocumentEntry = Reply<'docs.documents'>['items'][number]

/** What the id of an operation begins with in an address. */
export const API = 'api/'
export const documentHref = (name: string) => hrefOf({ page: 'docs', id: name })
export const operationHref = (id: string) => hrefOf({ page: 'docs', id: `${API}${id}` })

export const groupsOf = <One extends { group: string }>(items: readonly One[]): [string, One[]][] => [
  ...Map.groupBy(items, ({ group }) => group),
]

export const FIRST_GROUPS: readonly string[] = ['Start', 'Run it', 'Look up', 'Guides']

interface OverviewProps {
  api: ApiDocument
  operations: readonly Described[]
  documents: readonly DocumentEntry[]
  q: string
}

export function Overview({ api, operations, documents, q }: OverviewProps) {
  if (q.trim() !== '') return <Hits operations={operations} documents={documents} q={q} />
  return (
    <>
      <p className="quiet" role="status">
        {`${documents.length} documents and ${operations.length} operations of this build`}
      </p>
      <Guides entries={documents.filter(isFirst)} />
      {groupsOf(operations).map(([group, items]) => (
        <Operations
          key={group}
          title={group}
          note={api.tags.find(({ name }) => name === group)?.description ?? ''}
          items={items}
        />
      ))}
      <Guides entries={documents.filter((one) => !isFirst(one))} />
    </>
  )
}

/** The kind with the nearest hit stands first, so that the first link is the nearest of all. */
function Hits({ operations, documents, q }: Omit<OverviewProps, 'api'>) {
  const api = found(operations, q)
  const guides = foundDocuments(documents, q)
  const shown = [
    <Card key="documents" title="Documents" entries={guides.items} />,
    <Operations key="api" title="API operations" note="" items={api.items} isGroupShown />,
  ]
  return (
    <div className="stack" data-hits>
      <p className="quiet" role="status">
        {`${guides.items.length} documents and ${api.items.length} operations match`}
      </p>
      {api.best > guides.best ? shown.reverse() : shown}
    </div>
  )
}

interface OperationsProps {
  title: string
  note: string
  items: readonly Described[]
  isGroupShown?: boolean
}

const Operations = ({ title, note, items, isGroupShown = false }: OperationsProps) =>
  items.length === 0 ? null : (
    <section className="card" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        <span className="quiet small">{note}</span>
      </div>
      <ul className="operation-list">
        {items.map(({ id, method, path, summary, group }) => (
          <li key={id} data-operation={id}>
            <b className={`method method-${method.toLowerCase()}`}>{method}</b>
            <span>
              <Link href={operationHref(id)}>{summary}</Link>
              {isGroupShown ? <span className="quiet small"> {group}</span> : null}
            </span>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </section>
  )

const isFirst = ({ group }: DocumentEntry): boolean => FIRST_GROUPS.includes(group)

const Guides = ({ entries }: { entries: readonly DocumentEntry[] }) =>
  entries.length === 0 ? null : (
    <div className="guides">
      {groupsOf(entries).map(([group, items]) => (
        <Card key={group} title={group} entries={items} />
      ))}
    </div>
  )

const Card = ({ title, entries }: { title: string; entries: readonly DocumentEntry[] }) =>
  entries.length === 0 ? null : (
    <section className="card" aria-label={title}>
      <h2 className="part">{title}</h2>
      <ul className="card-body links">
        {entries.map(({ name, title: said }) => (
          <li key={name}>
            <Link href={documentHref(name)}>{said}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
