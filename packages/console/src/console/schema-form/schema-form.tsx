/** A form made from a JSON Schema: types, bounds, choices, lists, groups and one-of. Faults stand at their field. What no
 *  field fits is asked for as JSON. */
import { type ReactNode, useId, useState } from 'react'
import {
  branchesOf,
  branchName,
  branchOf,
  type Fault,
  hintOf,
  isAt,
  type JsonSchema,
  kindOf,
  type Place,
  startOf,
} from './schema.ts'
import { Choices, FaultLine, type FieldProps, Flag, idOf, Simple } from './simple-fields.tsx'

type Fields = Record<string, unknown>

interface SchemaFormProps {
  /** Of an object. */
  schema: JsonSchema
  value: Fields
  faults: readonly Fault[]
  /** Shown before the others, besides those that are required. */
  first: readonly string[]
  onChange(value: Fields): void
}

export function SchemaForm({ schema, value, faults, first, onChange }: SchemaFormProps) {
  const names = Object.keys(schema.properties ?? {}).filter(
    (name) => kindOf(schema.properties?.[name] ?? {}) !== 'fixed',
  )
  const isFirst = (name: string): boolean => first.includes(name) || (schema.required ?? []).includes(name)
  const rest = names.filter((name) => !isFirst(name))
  const isOpen = rest.some((name) => value[name] !== undefined || faults.some(({ place }) => place[0] === name))
  const fields = (shown: readonly string[]) => (
    <div className="form">
      {shown.map((name) => (
        <Property key={name} schema={schema} name={name} value={value} place={[]} faults={faults} onChange={onChange} />
      ))}
    </div>
  )
  return (
    <>
      {fields(names.filter(isFirst))}
      {rest.length === 0 ? null : (
        <details {...(isOpen ? { open: true } : {})}>
          <summary>{rest.length === 1 ? '1 more field' : `${rest.length} more fields`}</summary>
          {fields(rest)}
        </details>
      )}
    </>
  )
}

interface PropertyProps {
  schema: JsonSchema
  name: string
  value: Fields
  place: Place
  faults: readonly Fault[]
  onChange(value: Fields): void
}

function Property({ schema, name, value, place, faults, onChange }: PropertyProps) {
  const set = (next: unknown): void => {
    const { [name]: _, ...others } = value
    onChange(next === undefined ? others : { ...value, [name]: next })
  }
  return (
    <Field
      schema={schema.properties?.[name] ?? {}}
      name={name}
      isRequired={(schema.required ?? []).includes(name)}
      value={value[name]}
      place={[...place, name]}
      faults={faults}
      onChange={set}
    />
  )
}

function Field(props: FieldProps): ReactNode {
  switch (kindOf(props.schema)) {
    case 'fixed':
      return null
    case 'flag':
      return <Flag {...props} />
    case 'choices':
      return <Choices {...props} />
    case 'list':
    case 'group':
    case 'branches':
      return <Nested {...props} />
    default:
      return <Simple {...props} />
  }
}

/** A list, a group or one of several forms, which can be left out where it is not required. */
function Nested(props: FieldProps) {
  const { schema, name, isRequired, value, place, faults, onChange } = props
  const own = faults.filter((fault) => isAt(fault.place, place))
  return (
    <fieldset className="field wide nested" data-field={place.join('.')}>
      <legend className="label">
        {name} <span className="hint">{hintOf(schema, isRequired)}</span>
        {isRequired ? null : (
          <button
            type="button"
            className="only"
            onClick={() => onChange(value === undefined ? startOf(schema) : undefined)}
          >
            {value === undefined ? `Add ${name}` : `Leave ${name} out`}
          </button>
        )}
      </legend>
      <FaultLine id={`${idOf(place)}-fault`} faults={own} />
      {value === undefined ? null : <Inside {...props} />}
    </fieldset>
  )
}

function Inside(props: FieldProps) {
  const { schema, value, place, faults, onChange } = props
  const kind = kindOf(schema)
  if (kind === 'branches') return <Branches {...props} />
  if (kind === 'list') return <List {...props} />
  const fields = typeof value === 'object' && value !== null ? (value as Fields) : {}
  return (
    <div className="form">
      {Object.keys(schema.properties ?? {}).map((name) => (
        <Property key={name} {...{ schema, name, place, faults, onChange }} value={fields} />
      ))}
    </div>
  )
}

function List({ schema, name, value, place, faults, onChange }: FieldProps) {
  const items = Array.isArray(value) ? value : []
  const item = schema.items ?? {}
  return (
    <>
      {items.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item of a list is its place
        <div className="item" key={at}>
          <Field
            schema={item}
            name={`${name} ${at + 1}`}
            isRequired
            value={one}
            place={[...place, at]}
            faults={faults}
            onChange={(next) => onChange(items.with(at, next))}
          />
          <button type="button" className="only" onClick={() => onChange(items.toSpliced(at, 1))}>
            Remove {name} {at + 1}
          </button>
        </div>
      ))}
      <button type="button" className="btn" onClick={() => onChange([...items, startOf(item)])}>
        Add to {name}
      </button>
    </>
  )
}

function Branches(props: FieldProps) {
  const { schema, name, value, onChange } = props
  const id = useId()
  const branches = branchesOf(schema)
  const [chosen, choose] = useState(() => branchOf(schema, value))
  const branch = branches[chosen] as JsonSchema
  const chosenProps = { ...props, schema: branch, isRequired: true }
  const isNested = ['list', 'group', 'branches'].includes(kindOf(branch))
  return (
    <>
      <div className="form">
        <div className="field">
          <label htmlFor={id} className="hint">
            How {name} is given
          </label>
          <select
            id={id}
            value={chosen}
            onChange={({ target }) => {
              choose(Number(target.value))
              onChange(startOf(branches[Number(target.value)] as JsonSchema))
            }}
          >
            {branches.map((one, at) => (
              <option key={branchName(one)} value={at}>
                {branchName(one)}
              </option>
            ))}
          </select>
        </div>
        {branch.type === 'null' || isNested ? null : <Field {...chosenProps} />}
      </div>
      {isNested ? <Inside {...chosenProps} /> : null}
    </>
  )
}
