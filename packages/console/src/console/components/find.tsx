import { useRef } from 'react'
import { useKeys } from '../frame/keys.ts'
import { Icon } from './icon.tsx'

interface FindProps {
  label: string
  placeholder?: string
  value: string
  onChange(text: string): void
}

/** A field that narrows what the page lists while somebody types; `/` leads to it. */
export function Find({ label, placeholder = label, value, onChange }: FindProps) {
  const input = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => input.current?.focus() })
  return (
    <div className="search">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <kbd>/</kbd>
    </div>
  )
}
