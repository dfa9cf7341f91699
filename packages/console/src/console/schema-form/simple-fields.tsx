/** Fields of one value: a line, a box, a choice, a tick or several ticks. */
import { type ReactNode, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { BadJson, choicesOf, type Fault, hintOf, isAt, isBelow, type JsonSchema, kindOf, type Place } from './schema.ts'

const LONG_TEXT = 200

export interface FieldProps {
  schema: JsonSchema
  name: string
  isRequired: boolean
  value: unknown
  place: Place
  faults: readonly Fault[]
  /** Undefined where it is left out. */
  onChange(value: unknown): void
}

export const idOf = (place: Place): string => `field-${place.join('-')}`

export const FaultLine = ({ id, faults }: { id: string; faults: readonly Fault[] }) =>
  faults.length === 0 ? null : (
    <p className="field-fault" id={id}>
      <Icon name="warn" />
      {faults.map(({ message }) => message).join(' ')}
    </p>
  )

interface FaultNoteProps {
  faults: readonly Fault[]
  /** What the faults led to. */
  lead?: string
  children?: ReactNode
}

/** Every fault of a form with its place, for whoever does not see the fields. */
export const FaultNote = ({ faults, lead = '', children }: FaultNoteProps) =>
  faults.length === 0 ? null : (
    <div className="note bad" role="alert">
      <Icon name="warn" />
      <div>
        <b>
          {lead} {faults.length === 1 ? 'One fault' : `${faults.length} faults`}
        </b>
        {faults.map(({ place, message }) => (
          <p key={place.join('.') + message}>
            {place.length === 0 ? '' : `${place.join('.')}: `}
            {message}
          </p>
        ))}
        {children}
      </div>
    </div>
  )

/** One line or box: text, number, choice or JSON. */
export function Simple(props: FieldProps) {
  const { schema, name, isRequired, place, faults } = props
  const id = idOf(place)
  const kind = kindOf(schema)
  const own = faults.filter((fault) => (kind === 'json' ? isBelow(fault.place, place) : isAt(fault.place, place)))
  const isLong =
    kind === 'json' || (kind === 'text' && (schema.maxLength === undefined || schema.maxLength > LONG_TEXT))
  const aria = own.length === 0 ? {} : { 'aria-invalid': true as const, 'aria-describedby': `${id}-fault` }
  return (
    <div
      className={`field${isLong ? ' wide' : ''}${own.length === 0 ? '' : ' field-bad'}`}
      data-field={place.join('.')}
    >
      <label htmlFor={id}>
        {name} <span className="hint">{hintOf(schema, isRequired)}</span>
      </label>
      <Input {...props} id={id} aria={aria} isLong={isLong} />
      <FaultLine id={`${id}-fault`} faults={own} />
    </div>
  )
}

interface InputProps extends FieldProps {
  id: string
  aria: object
  isLong: boolean
}

function Input({ schema, value, isRequired, onChange, id, aria, isLong }: InputProps) {
  const kind = kindOf(schema)
  const choices = choicesOf(schema)
  const textOf = (given: unknown): string => {
    if (given === undefined) return ''
    if (given instanceof BadJson) return given.text
    return kind === 'json' ? JSON.stringify(given, null, 1) : String(given)
  }
  // What is being typed stands as it was typed; a value from elsewhere replaces it.
  const [typed, setTyped] = useState({ text: textOf(value), value })
  const text = Object.is(typed.value, value) ? typed.text : textOf(value)
  const take = (given: string): void => {
    const next = readText(kind, given, isRequired)
    setTyped({ text: given, value: next })
    onChange(next)
  }
  if (choices !== null)
    return (
      <select
        id={id}
        value={value === undefined ? '' : String(choices.indexOf(value))}
        {...aria}
        onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)])}
      >
        {isRequired ? null : <option value="">not set</option>}
        {choices.map((choice, at) => (
          <option key={String(choice)} value={at}>
            {String(choice)}
          </option>
        ))}
      </select>
    )
  if (isLong)
    return (
      <textarea
        id={id}
        className={kind === 'json' ? 'mono' : ''}
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        value={text}
        {...aria}
        onChange={({ target }) => take(target.value)}
      />
    )
  return (
    <input
      id={id}
      type="text"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      value={text}
      placeholder={schema.default === undefined ? '' : String(schema.default)}
      {...aria}
      onChange={({ target }) => take(target.value)}
    />
  )
}

function readText(kind: string, text: string, isRequired: boolean): unknown {
  if (text === '') return kind === 'text' && isRequired ? '' : undefined
  if (kind === 'text') return text
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  try {
    return JSON.parse(text)
  } catch {
    return new BadJson(text)
  }
}

export function Flag({ schema, name, isRequired, value, place, faults, onChange }: FieldProps) {
  const id = idOf(place)
  const own = faults.filter((fault) => isAt(fault.place, place))
  return (
    <div className="field" data-field={place.join('.')}>
      <label className="check">
        <input
          type="checkbox"
          checked={(value ?? schema.default ?? false) === true}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>
          <b>{name}</b> <span className="hint">{hintOf(schema, isRequired)}</span>
        </span>
      </label>
      <FaultLine id={`${id}-fault`} faults={own} />
    </div>
  )
}

export function Choices({ schema, name, isRequired, value, place, faults, onChange }: FieldProps) {
  const chosen = Array.isArray(value) ? value : []
  const own = faults.filter((fault) => isBelow(fault.place, place))
  const toggle = (choice: unknown): void => {
    const next = chosen.includes(choice) ? chosen.filter((one) => one !== choice) : [...chosen, choice]
    onChange(next.length === 0 && !isRequired ? undefined : next)
  }
  return (
    <fieldset className="field wide" data-field={place.join('.')}>
      <legend className="label">
        {name} <span className="hint">{hintOf(schema, isRequired)}</span>
      </legend>
      <div className="choices">
        {(choicesOf(schema.items ?? {}) ?? []).map((choice) => (
          <label className="check" key={String(choice)}>
            <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} />
            {String(choice)}
          </label>
        ))}
      </div>
      <FaultLine id={`${idOf(place)}-fault`} faults={own} />
    </fieldset>
  )
}
