/** The organs of this process: what each is good for, what kind of evidence it gives, and a form to try it. */
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Find } from '../../components/find.tsx'
import { Shown } from '../../components/states.tsx'
import { curlOf } from '../../data/curl.ts'
import { labelOf, useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import { useKeys } from '../../frame/keys.ts'
import type { PageProps } from '../../pages.ts'
import { hrefOf, navigate } from '../../routing.ts'
import { hasWords } from '../../words.ts'
import { Catalog, inOrder, type OrganItem } from './catalog.tsx'
import { TryIt } from './try-it.tsx'

const nothing = () => ({})
const HISTORY = 200

const textOf = ({ id, title, job, evidence_class }: OrganItem): string => `${id} ${title} ${job} ${evidence_class}`

export function Page({ address }: PageProps) {
  const catalog = useReading('organs.catalog', nothing, '')
  const history = useReading('organs.history', () => ({ query: { limit: HISTORY } }), '', { everyMs: 30_000 })
  const { hasToken } = useService()
  const [moved, setMoved] = useState<string | null>(null)
  const q = address.query.get('q') ?? ''
  const items = inOrder(catalog.value?.items ?? []).filter((item) => hasWords(textOf(item), q))
  const shown = address.id ?? items[0]?.id ?? null
  const show = (id: string | null, changed: Record<string, string>): void => {
    const nonEmpty = Object.entries({ q, ...changed }).filter(([, value]) => value !== '')
    navigate(hrefOf({ page: 'organs', id, query: new URLSearchParams(nonEmpty) }), { replace: true })
  }
  const move = (step: number): void => {
    const here = items.findIndex(({ id }) => id === (address.id ?? moved))
    const next = items[Math.min(items.length - 1, Math.max(0, here + step))]
    if (next === undefined) return
    setMoved(next.id)
    show(next.id, {})
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    escape: () => show(null, {}),
  })
  return (
    <>
      <div className="head">
        <h1>Organs</h1>
        <p>25 engines in this process. Each says what kind of evidence its answers are.</p>
        <div className="btn-row right">
          <CopyButton text={() => curlOf('organs.catalog', {}, hasToken)}>Copy as curl</CopyButton>
        </div>
      </div>
      <div className={address.id === null ? 'bar' : 'bar bar-chosen'}>
        <Find label="Find an organ" value={q} onChange={(text) => show(address.id, { q: text })} />
      </div>
      <Shown reading={catalog} what="organs">
        {() => (
          <div className={address.id === null ? 'organs' : 'organs organs-chosen'}>
            <div>
              <Catalog
                items={items}
                runs={history.value?.items ?? null}
                selected={shown}
                moved={moved}
                query={address.query}
              />
              <p className="keys">
                <span>
                  <kbd>J</kbd> <kbd>K</kbd> move
                </span>
                <span>
                  Last runs are your own, from their receipts{' '}
                  {history.value === null ? null : (
                    <Badge label={labelOf('organs.history', history.value)} at={history.readAt} />
                  )}
                </span>
              </p>
            </div>
            {shown === null ? null : (
              <TryIt
                key={shown}
                id={shown}
                op={address.query.get('op')}
                onOp={(op) => show(shown, { op })}
                onRun={history.askAgain}
              />
            )}
          </div>
        )}
      </Shown>
    </>
  )
}
