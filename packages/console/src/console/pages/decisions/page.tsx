/** Decisions as they are made: the counts of the window, one line to search in, the list, and one of them beside it. */
import { OrchError, OrchUnreachable } from '@orch/client'
import { useCallback, useRef, useState } from 'react'
import { Announce } from '../../components/announce.tsx'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Icon } from '../../components/icon.tsx'
import { CachedContent } from '../../components/states.tsx'
import { curlOf } from '../../data/curl.ts'
import { download } from '../../data/download.ts'
import { useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import { useKeys } from '../../frame/keys.ts'
import { addressFault, type Filters, filtersOf, queryOf, wireFilters } from '../../ledger/filters.ts'
import { ReceiptList } from '../../ledger/receipt-list.tsx'
import { SearchBar } from '../../ledger/search-bar.tsx'
import { useRows } from '../../ledger/use-rows.ts'
import type { PageProps } from '../../pages.ts'
import { hrefOf, navigate } from '../../routing.ts'
import { countWords } from '../../words.ts'
import { exportLines } from './export.ts'
import { Peek } from './peek.tsx'
import { Strip } from './strip.tsx'

/** The page is about decisions of the last day unless its address says otherwise. */
const DEFAULTS: Filters = { kind: 'decision', since: '24h' }
const WINDOWS = [
  ['15m', '15 min'],
  ['1h', '1 h'],
  ['24h', '24 h'],
  ['7d', '7 d'],
] as const
const SLICES = 36
const NO_LATENCY = (
  <>
    latency of each <Badge label="UNAVAILABLE" source="a receipt does not record how long its decision took" />
  </>
)

export function Page({ address }: PageProps) {
  const filters = filtersOf(address.query, DEFAULTS)
  const [isPaused, setPaused] = useState(false)
  const isHeld = useRef((): boolean => false)
  isHeld.current = () => isPaused || scrollY > 240
  const outcomes = useOutcomes(filters)
  const list = useRows(filters, () => isHeld.current(), outcomes.soon)

  const show = (changed: Filters, replace = false): void =>
    navigate(hrefOf({ page: 'decisions', id: address.id, query: queryOf(changed, DEFAULTS) }), { replace })
  const select = (id: string | null, replace = false): void =>
    navigate(hrefOf({ page: 'decisions', id, query: address.query }), { replace })
  const choose = (decision: string): void => {
    const { decision: before, ...rest } = filters
    show(before === decision ? rest : { ...rest, decision })
  }
  useKeys({ escape: () => select(null) })
  const { hasToken, isReachable } = useService()
  return (
    <>
      <div className="head">
        <h1>Decisions</h1>
        <fieldset className="seg" aria-label="Window">
          {WINDOWS.map(([since, words]) => (
            <button
              key={since}
              type="button"
              aria-pressed={filters.since === since}
              onClick={() => show({ ...filters, since })}
            >
              {words}
            </button>
          ))}
        </fieldset>
        <div className="btn-row right">
          {isReachable || isPaused ? (
            <button type="button" className="btn" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
              <Icon name={isPaused ? 'play' : 'pause'} />
              <span className="fold">{isPaused ? 'Resume' : 'Pause'}</span>
            </button>
          ) : null}
          <ExportButton filters={filters} />
          <CopyButton text={() => curlOf('khipu.ledger', { query: wireFilters(filters, Date.now()) }, hasToken)}>
            Copy as curl
          </CopyButton>
        </div>
      </div>
      <CachedContent>
        <Strip outcomes={outcomes.value} chosen={filters.decision} onChoose={choose} />
      </CachedContent>
      <div className="bar">
        <SearchBar
          filters={filters}
          placeholder="agent: tool: gate: or words of names and reasons"
          fault={addressFault(address.query)}
          onChange={show}
        />
        <button type="button" className="btn" aria-pressed={filters.decision === 'deny'} onClick={() => choose('deny')}>
          <Icon name="deny" />
          Denied only
        </button>
      </div>
      <div className={address.id === null ? 'without-peek' : 'with-peek'}>
        <div>
          <ReceiptList
            list={list}
            what="decisions"
            isPaused={isPaused}
            note={NO_LATENCY}
            filters={filters}
            selected={address.id}
            linkOf={({ digest }) => hrefOf({ page: 'decisions', id: digest, query: address.query })}
            onMove={({ digest }) => (address.id === null ? undefined : select(digest, true))}
            onFilter={(changed) => show({ ...filters, ...changed })}
            onClear={() => show({ kind: 'any', since: 'any' })}
          />
        </div>
        {address.id === null ? null : (
          <Peek
            key={address.id}
            digest={address.id}
            onClose={() => select(null)}
            onPick={(name, value) => show({ ...filters, [name]: value })}
          />
        )}
      </div>
      <Announce
        text={
          list.value === null ? '' : `${countWords(list.value.rows.length + list.value.fresh.length)} decisions listed`
        }
      />
    </>
  )
}

/** Counted again a moment after something came, and now and then. */
function useOutcomes(filters: Filters) {
  const { decision: _, ...rest } = filters
  const input = () => ({ query: { ...wireFilters(rest, Date.now()), slices: SLICES } })
  const { value, askAgain } = useReading('receipts.outcomes', input, JSON.stringify(rest), { everyMs: 15_000 })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const soon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      askAgain()
    }, 700)
  }, [askAgain])
  return { value, soon }
}

function ExportButton({ filters }: { filters: Filters }) {
  const { client, noteAnswer } = useService()
  const [words, say] = useState('Export JSONL')
  const run = async (): Promise<void> => {
    try {
      const lines = await exportLines(client, wireFilters(filters, Date.now()), (count) =>
        say(`${countWords(count)} lines`),
      )
      download('decisions.jsonl', lines, 'application/jsonl')
    } catch (error) {
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
      say(`Not exported: ${error.message}`)
    }
  }
  return (
    <button type="button" className="btn" onClick={() => void run()}>
      <Icon name="down" />
      <span className="fold" aria-live="polite">
        {words}
      </span>
    </button>
  )
}
