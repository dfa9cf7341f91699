/** The organs by the part of the body they belong to: what each does, what kind of evidence it gives, and its last run. */
import type { Reply } from '@orch/client'
import { useEffect, useRef } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { spanOf, useSeconds } from '../../components/time.tsx'
import { hrefOf } from '../../routing.ts'

export type OrganItem = Reply<'organs.catalog'>['items'][number]
type Run = Reply<'organs.history'>['items'][number]

const BODIES: Readonly<Record<string, string>> = {
  immune: 'guards and judges',
  brain: 'thinks and remembers',
  nervous: 'senses and acts',
  circulatory: 'moves data and load',
  skeleton: 'holds records and form',
  heart: 'keeps the contract',
}

const place = ({ body }: OrganItem): number => Object.keys(BODIES).indexOf(body)

/** In the order in which they are listed, for the list and for the keys. */
export const inOrder = (items: readonly OrganItem[]): OrganItem[] => items.toSorted((a, b) => place(a) - place(b))

interface CatalogProps {
  items: readonly OrganItem[]
  /** Newest first; null where they could not be read. */
  runs: readonly Run[] | null
  selected: string | null
  moved: string | null
  query: URLSearchParams
}

export const Catalog = ({ items, runs, selected, moved, query }: CatalogProps) => (
  <section className="card" aria-label="Organs by body">
    {Object.entries(BODIES).map(([body, does]) => {
      const own = items.filter((item) => item.body === body)
      if (own.length === 0) return null
      return (
        <div key={body}>
          <div className="body-head">
            <h2>{body.charAt(0).toUpperCase() + body.slice(1)}</h2>
            <span>
              {own.length}, {does}
            </span>
          </div>
          <ul className="organ-list">
            {own.map((item) => (
              <li key={item.id}>
                <Organ
                  item={item}
                  run={runs === null ? null : runs.find(({ organ }) => organ === item.id)}
                  isSelected={item.id === selected}
                  isMoved={item.id === moved}
                  query={query}
                />
              </li>
            ))}
          </ul>
        </div>
      )
    })}
    {items.length === 0 ? <p className="card-body quiet">No organ has these words in its name or its job.</p> : null}
  </section>
)

interface OrganProps {
  item: OrganItem
  /** Undefined where there is none yet, null where that is not known. */
  run: Run | null | undefined
  isSelected: boolean
  isMoved: boolean
  query: URLSearchParams
}

function Organ({ item, run, isSelected, isMoved, query }: OrganProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isMoved) link.current?.focus()
  }, [isMoved])
  const q = query.get('q')
  return (
    <div className="organ" data-organ={item.id} {...(isSelected ? { 'aria-current': true } : {})}>
      <span className="id">{item.id}</span>
      <Link
        className="row-link"
        ref={link}
        href={hrefOf({ page: 'organs', id: item.id, query: new URLSearchParams(q === null ? {} : { q }) })}
      >
        {item.title}
      </Link>
      <span className="job">{item.job}</span>
      <span className="badge-cell">
        <Badge label={item.evidence_class} source="as the catalog says of every run" />
      </span>
      <LastRun run={run} />
    </div>
  )
}

function LastRun({ run }: Pick<OrganProps, 'run'>) {
  const seconds = useSeconds()
  if (run === null) return <span className="health none">last run not known</span>
  if (run === undefined)
    return (
      <span className="health none">
        <Icon name="gap" />
        no run yet
      </span>
    )
  const age = spanOf(seconds - Date.parse(run.ts) / 1_000)
  return (
    <span className="health none" title={`Your last run: ${run.status}, ${run.ts}`}>
      <Icon name={run.status === 'UNAVAILABLE' ? 'unavailable' : 'clock'} />
      {run.status.toLowerCase().replaceAll('_', ' ')}, {age} ago
    </span>
  )
}
