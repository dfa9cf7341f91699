/** Tabs whose choice stands in the address, moved through with the arrow keys. */
import { type KeyboardEvent, type ReactNode, useId } from 'react'

interface Tab {
  name: string
  title: string
  content(): ReactNode
}

interface TabsProps {
  label: string
  tabs: readonly [Tab, ...Tab[]]
  chosen: string | null
  onChoose(name: string): void
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  const id = useId()
  const shown = tabs.find(({ name }) => name === chosen) ?? tabs[0]
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = STEPS[event.key]
    if (step === undefined) return
    const next = tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length] as Tab
    onChoose(next.name)
    document.getElementById(`${id}-${next.name}`)?.focus()
  }
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === shown.name}
            aria-controls={`${id}-panel`}
            tabIndex={name === shown.name ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        className="card-body"
        role="tabpanel"
        aria-labelledby={`${id}-${shown.name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls has to be reachable
        tabIndex={0}
      >
        {shown.content()}
      </div>
    </>
  )
}
