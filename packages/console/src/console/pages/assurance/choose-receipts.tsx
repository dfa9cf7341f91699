/** Receipts ticked one by one, found by the same words as in the ledger. */
import type { ReceiptRow } from '@orch/client'
import { MAX_PACK_RECEIPTS } from '@orch/core'
import { useId, useState } from 'react'
import { Outcome } from '../../components/outcome.tsx'
import { Time } from '../../components/time.tsx'
import { typedFilters, type WireFilters, wireFilters } from '../../ledger/filters.ts'
import { countWords, whyOf } from '../../words.ts'
import { useFound } from './use-found.ts'

interface ChooseReceiptsProps {
  span: WireFilters
  chosen: ReadonlySet<number>
  onChange(chosen: ReadonlySet<number>): void
}

const SHOWN = 50

export function ChooseReceipts({ span, chosen, onChange }: ChooseReceiptsProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [askedAt] = useState(Date.now)
  const typed = typedFilters(text)
  const found = useFound({ ...wireFilters(typed.filters, askedAt), ...span }, SHOWN)
  const { isDone, hasMore } = found
  const rows = typed.fault === null ? found.rows : []
  const fault = typed.fault ?? found.fault?.message ?? null
  const toggle = ({ node_index }: ReceiptRow): void => {
    const next = new Set(chosen)
    if (!next.delete(node_index)) next.add(node_index)
    onChange(next)
  }
  return (
    <fieldset className="choose">
      <legend className="label">
        Receipts to take{' '}
        <span className="hint">
          {countWords(chosen.size)} of at most {MAX_PACK_RECEIPTS} chosen
        </span>
      </legend>
      <label htmlFor={id} className="hint">
        Find, such as decision:deny tool:refund
      </label>
      <input id={id} type="search" value={text} onChange={(event) => setText(event.target.value)} />
      <ul className="choose-rows">
        {rows.map((row) => (
          <li key={row.node_index}>
            <label className="check">
              <input type="checkbox" checked={chosen.has(row.node_index)} onChange={() => toggle(row)} />
              <Outcome decision={row.decision} />
              <span>{whyOf(row)}</span>
              <span className="quiet small">
                #{row.node_index} {row.ts_utc === null ? null : <Time at={row.ts_utc} />}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p className="hint" role="status">
        {fault !== null
          ? `Not read: ${fault}`
          : isDone
            ? `${countWords(rows.length)} found${hasMore ? ', the newest; narrow the search for older ones' : ''}`
            : 'Looking'}
      </p>
      <div className="btn-row">
        <button
          type="button"
          className="btn"
          disabled={rows.length === 0}
          onClick={() => onChange(new Set([...chosen, ...rows.map(({ node_index }) => node_index)]))}
        >
          Choose these {countWords(rows.length)}
        </button>
        <button type="button" className="btn" disabled={chosen.size === 0} onClick={() => onChange(new Set())}>
          Choose none
        </button>
      </div>
    </fieldset>
  )
}
