/** Members with type, bounds, default and meaning. What is inside a member unfolds below it. */
import { useState } from 'react'
import type { JsonSchema } from '../../schema-form/schema.ts'
import { countRows, type Row, rowsOf } from './schema-rows.ts'

/** A table of at most so many rows begins unfolded. */
const OPEN_UP_TO = 24
const DEEPEST_INDENT = 6

interface SchemaTableProps {
  schema: JsonSchema
  name: string
  caption: string
  /** Nobody has to send a reply. */
  isReply?: boolean
}

export function SchemaTable({ schema, name, caption, isReply = false }: SchemaTableProps) {
  const rows = rowsOf(schema, name)
  const [isOpen, setOpen] = useState<Readonly<Record<string, boolean>>>({})
  const isUnfolded = ({ key }: Row): boolean => isOpen[key] ?? countRows(rows) <= OPEN_UP_TO
  const shown = (list: readonly Row[]): Row[] =>
    list.flatMap((row) => [row, ...(isUnfolded(row) ? shown(row.children) : [])])
  return (
    <table className="table schema">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        {shown(rows).map((row) => (
          <tr key={row.key} data-member={row.key}>
            <td className={`in-${Math.min(row.depth, DEEPEST_INDENT)}`}>
              {row.children.length === 0 ? (
                <code>{row.name}</code>
              ) : (
                <button
                  type="button"
                  className="unfold"
                  aria-expanded={isUnfolded(row)}
                  onClick={() => setOpen({ ...isOpen, [row.key]: !isUnfolded(row) })}
                >
                  <code>{row.name}</code>
                </button>
              )}
              {row.isRequired && !isReply ? <span className="must">required</span> : null}
            </td>
            <td>
              <code className="type">{row.type}</code>
            </td>
            <td>
              {row.description}
              {row.hint === '' ? null : <span className="hint">{row.hint}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
