/** A reply as a tree: names beside values, digests short, what is inside something folded once it is long. */
import { useState } from 'react'
import { Digest } from './digest.tsx'

const OPEN_UP_TO = 12
const LISTED = 100

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether a reply is shown as a tree or raw, and the switch for it. */
export function useReplyForm() {
  const [form, setForm] = useState<'tree' | 'raw'>('tree')
  const control = (
    <fieldset className="seg right" aria-label="Form of the reply">
      {(['tree', 'raw'] as const).map((name) => (
        <button key={name} type="button" aria-pressed={form === name} onClick={() => setForm(name)}>
          {name === 'tree' ? 'Tree' : 'Raw'}
        </button>
      ))}
    </fieldset>
  )
  return { form, control }
}

export const JsonTree = ({ value }: { value: object }) => {
  const entries = Object.entries(value)
  return (
    <ul className="tree">
      {entries.slice(0, LISTED).map(([name, one]) => (
        <li key={name}>
          <span className="k">{Array.isArray(value) ? `[${name}]` : name}</span>
          <Value value={one} />
        </li>
      ))}
      {entries.length > LISTED ? <li className="quiet">and {entries.length - LISTED} more, see Raw</li> : null}
    </ul>
  )
}

function Value({ value }: { value: unknown }) {
  if (!isBranch(value))
    return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? (
      <span>
        <Digest value={value} />
      </span>
    ) : (
      <span>{value === '' ? '(empty text)' : String(value)}</span>
    )
  const size = Object.keys(value).length
  if (size === 0) return <span className="quiet">{Array.isArray(value) ? 'none' : 'empty'}</span>
  if (Array.isArray(value) && value.every((one) => !isBranch(one)) && size <= OPEN_UP_TO)
    return <span>{value.join(', ')}</span>
  return (
    <details {...(size <= OPEN_UP_TO ? { open: true } : {})}>
      <summary>{`${size} ${Array.isArray(value) ? 'item' : 'field'}${size === 1 ? '' : 's'}`}</summary>
      <JsonTree value={value} />
    </details>
  )
}
