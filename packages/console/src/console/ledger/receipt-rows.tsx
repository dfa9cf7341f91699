// biome-ignore-all lint/a11y/useFocusableInteractive: the links in a row are what is focused
// biome-ignore-all lint/a11y/useSemanticElements: a grid layout takes the roles from the elements of a table
/** Receipts as lines: outcome, why, agent, tool, when, receipt. The sentence leads on; a press on a value narrows the
 *  list by it. */
import type { ReceiptRow } from '@orch/client'
import { memo, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ReceiptChip, shortDigest } from '../components/digest.tsx'
import { Link } from '../components/link.tsx'
import { Outcome } from '../components/outcome.tsx'
import { Time } from '../components/time.tsx'
import { VirtualRows } from '../components/virtual-rows.tsx'
import { useKeys } from '../frame/keys.ts'
import { whyOf } from '../words.ts'

const ROW_PX = 40
const CARD_PX = 108
const NARROW = '(max-width: 640px)'
const COLUMNS = ['Outcome', 'Why', 'Agent', 'Tool', 'When', 'Receipt']

function watchNarrow(changed: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}
const useNarrow = (): boolean => useSyncExternalStore(watchNarrow, () => matchMedia(NARROW).matches)

interface ReceiptRowsProps {
  rows: readonly ReceiptRow[]
  label: string
  selected: string | null
  linkOf(row: ReceiptRow): string
  /** Follows the focus while a panel shows one of the rows. */
  onMove?(row: ReceiptRow): void
  onPick(filter: 'agent' | 'tool' | 'decision', value: string): void
  onNearEnd(): void
}

export function ReceiptRows({ rows, label, selected, linkOf, onMove, onPick, onNearEnd }: ReceiptRowsProps) {
  const height = useNarrow() ? CARD_PX : ROW_PX
  const [focused, setFocused] = useState<string | null>(null)
  const here = rows.findIndex(({ digest }) => digest === (focused ?? selected))
  const move = (step: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, here + step))]
    if (row === undefined) return
    setFocused(row.digest)
    onMove?.(row)
  }
  const leave = (): void => setFocused(null)
  useKeys({ j: () => move(1), k: () => move(-1) })
  // Whoever closes the panel is back at the row it showed.
  const before = useRef(selected)
  useEffect(() => {
    if (before.current !== null && selected === null) setFocused(before.current)
    before.current = selected
  }, [selected])
  return (
    <div className="rows" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div role="rowgroup">
        <div className="row row-head" role="row">
          {COLUMNS.map((name) => (
            <span role="columnheader" key={name}>
              {name}
            </span>
          ))}
        </div>
      </div>
      <VirtualRows items={rows} height={height} focusedIndex={focused === null ? -1 : here} onNearEnd={onNearEnd}>
        {(row, index) => (
          <Row
            key={row.digest}
            row={row}
            index={index}
            href={linkOf(row)}
            isSelected={row.digest === selected}
            isFocused={row.digest === focused}
            onPick={onPick}
            onLeave={leave}
          />
        )}
      </VirtualRows>
    </div>
  )
}

interface RowProps {
  row: ReceiptRow
  index: number
  href: string
  isSelected: boolean
  isFocused: boolean
  onPick: ReceiptRowsProps['onPick']
  onLeave(): void
}

/** Kept while the list is scrolled: only rows that come into sight are made. */
const Row = memo(function Row({ row, index, href, isSelected, isFocused, onPick, onLeave }: RowProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isFocused) link.current?.focus({ preventScroll: true })
  }, [isFocused])
  const { decision, agent, tool, tool_sha256, ts_utc } = row
  const shownTool = tool ?? tool_sha256
  return (
    <div
      className="row"
      role="row"
      aria-rowindex={index + 2}
      {...(isSelected ? { 'aria-current': true } : {})}
      data-digest={row.digest}
    >
      <span className="cell" role="cell">
        <Outcome decision={decision} />
      </span>
      <span className="cell" role="cell">
        <Link
          className={decision === 'ALLOW' || decision === null ? 'row-link quiet' : 'row-link'}
          href={href}
          ref={link}
          onBlur={isFocused ? onLeave : undefined}
          title={whyOf(row)}
        >
          {whyOf(row)}
        </Link>
      </span>
      <span className="cell" role="cell">
        {agent === null ? null : <Pick name="agent" value={agent} onPick={onPick} />}
      </span>
      <span className="cell" role="cell">
        {shownTool === null ? null : <Pick name="tool" value={shownTool} onPick={onPick} />}
      </span>
      <span className="cell" role="cell">
        {ts_utc === null ? null : <Time at={ts_utc} />}
      </span>
      <span className="cell" role="cell">
        <ReceiptChip receipt={row} />
      </span>
    </div>
  )
})

interface PickProps {
  name: 'agent' | 'tool'
  value: string
  onPick: ReceiptRowsProps['onPick']
}

const Pick = ({ name, value, onPick }: PickProps) => (
  <button type="button" className={`pick ${name}`} title={`Only ${name} ${value}`} onClick={() => onPick(name, value)}>
    {/^[0-9a-f]{64}$/.test(value) ? shortDigest(value, 6, 4) : value}
  </button>
)
