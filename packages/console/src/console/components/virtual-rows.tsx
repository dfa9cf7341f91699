// biome-ignore-all lint/a11y/useSemanticElements: a grid layout takes the roles from the elements of a table
/** Rows of one height of which only those near the window are in the document, however many there are. */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'

const OVERSCAN = 8

interface VirtualRowsProps<Item> {
  items: readonly Item[]
  height: number
  /** Kept inside the window by scrolling when it changes; -1 for none. */
  focusedIndex: number
  children(item: Item, index: number): ReactNode
  onNearEnd(): void
}

export function VirtualRows<Item>({ items, height, focusedIndex, children, onNearEnd }: VirtualRowsProps<Item>) {
  const box = useRef<HTMLDivElement>(null)
  const [[first, last], setRange] = useState([0, 40])
  const count = items.length

  useEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const top = box.current?.getBoundingClientRect().top ?? 0
      const from = Math.max(0, Math.floor(-top / height) - OVERSCAN)
      const to = Math.ceil((window.innerHeight - top) / height) + OVERSCAN
      setRange((old) => (old[0] === from && old[1] === to ? old : [from, to]))
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [height])

  useLayoutEffect(() => {
    if (focusedIndex < 0 || box.current === null) return
    const top = box.current.getBoundingClientRect().top + focusedIndex * height
    const edge = 2 * height
    if (top < edge) scrollBy(0, top - edge)
    else if (top + height > window.innerHeight - edge) scrollBy(0, top + height - window.innerHeight + edge)
  }, [focusedIndex, height])

  const nearEnd = last >= count
  useEffect(() => {
    if (nearEnd && count > 0) onNearEnd()
  }, [nearEnd, count, onNearEnd])

  const start = Math.min(first, Math.max(0, count - 1))
  return (
    <div ref={box} role="rowgroup" style={{ height: count * height }}>
      {/* Room above, not a shift: rows that stay keep their place, so nothing of them is painted again. */}
      <div role="presentation" style={{ paddingTop: start * height }}>
        {items.slice(start, last).map((item, at) => children(item, start + at))}
      </div>
    </div>
  )
}
