/** One line to search in: what narrows the list stands in it as chips, and the address holds the same. */
import { type FormEvent, useRef, useState } from 'react'
import { shortDigest } from '../components/digest.tsx'
import { Icon } from '../components/icon.tsx'
import { focusContent, useKeys } from '../frame/keys.ts'
import { FILTER_NAMES, type FilterName, type Filters, typedFilters } from './filters.ts'
import { useToolNames } from './use-tool-names.ts'

interface SearchBarProps {
  filters: Filters
  placeholder: string
  /** What is wrong with the filters that came with the address. */
  fault?: string | null
  onChange(filters: Filters): void
}

export function SearchBar({ filters, placeholder, fault = null, onChange }: SearchBarProps) {
  const input = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => input.current?.focus() })
  const [refused, refuse] = useState<string | null>(null)
  const said = refused ?? fault
  const toolNames = useToolNames()
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const { filters: typed, fault: found } = typedFilters(input.current?.value ?? '')
    refuse(found)
    if (found !== null) return
    const names = typed.tool === undefined ? [] : await toolNames(typed.tool)
    if (names.length > 1) return refuse(`More than one tool begins with ${typed.tool}: ${names.join(', ')}`)
    if (input.current !== null) input.current.value = ''
    // From here the keys of the list work at once.
    focusContent()
    const [tool = typed.tool] = names
    if (Object.keys(typed).length > 0) onChange({ ...filters, ...typed, ...(tool === undefined ? {} : { tool }) })
  }
  const remove = (name: FilterName): void => {
    const { [name]: _, ...rest } = filters
    onChange(rest)
    input.current?.focus()
  }
  return (
    <search className="search">
      <Icon name="search" />
      {FILTER_NAMES.map((name) => {
        const value = filters[name]
        return value === undefined ? null : (
          <span className="filter" key={name} data-filter={name}>
            {name === 'q' ? 'words' : name}:<b>{shortDigest(value, 24, 6)}</b>
            <button type="button" aria-label={`Remove filter ${name} ${value}`} onClick={() => remove(name)}>
              <Icon name="close" />
            </button>
          </span>
        )
      })}
      <form onSubmit={(event) => void submit(event)}>
        <input
          ref={input}
          type="search"
          aria-label="Search"
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          {...(said === null ? {} : { 'aria-describedby': 'search-fault' })}
          aria-invalid={refused !== null}
        />
      </form>
      <kbd>/</kbd>
      {said === null ? null : (
        <p id="search-fault" className="field-fault" role="alert">
          {said}
        </p>
      )}
    </search>
  )
}
