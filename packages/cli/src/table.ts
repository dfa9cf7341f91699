// Lists for people: a header, one line per item, at most 80 columns. Whoever wants whole values takes --json or --jsonl.
import { type Colour, printable, type Terminal } from './terminal.ts'

export type Column<T> = {
  title: string
  width: number
  value(item: T): string
  colour?(item: T): Colour | null
}

const GAP = '  '

export const tableHeader = <T>(columns: readonly Column<T>[], { paint }: Pick<Terminal, 'paint'>): string =>
  `${paint('bold', line(columns.map(({ title, width }) => title.padEnd(width))))}\n`

/** What does not fit is cut, and the cut shows. */
export function tableRow<T>(columns: readonly Column<T>[], item: T, { paint }: Pick<Terminal, 'paint'>): string {
  const cells = columns.map(({ width, value, colour }) => {
    const text = shortened(printable(value(item)), width)
    const shade = colour?.(item) ?? null
    const padding = ' '.repeat(width - text.length)
    return `${shade === null ? text : paint(shade, text)}${padding}`
  })
  return `${line(cells)}\n`
}

/** What a row has to say besides its columns, indented under it. */
export const tableNote = (text: string): string => `  ${shortened(printable(text), MAX_COLUMNS - 2)}\n`

const MAX_COLUMNS = 80

const line = (cells: readonly string[]): string => cells.join(GAP).trimEnd()

const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}~`

/** A time of the service in the words of a table; the whole of it is in the JSON. */
export const shortTime = (instant: string | null): string => (instant ?? '-').slice(0, 19).replace('T', ' ')
