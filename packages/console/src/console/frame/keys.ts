/** Keys of the console. They are silent while somebody types, and each one also has a visible control. */
import { useLayoutEffect, useRef } from 'react'

type Keys = Readonly<Record<string, () => void>>

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** A control that has its own meaning for Enter keeps it. */
const isPressable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('a, button, summary, [role="tab"]') !== null

/** Where the focus goes when what had it is gone or done: from there Tab leads into the page and its keys work. */
export const focusContent = (): void => document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })

/** Nothing has the focus, or only the page as a whole. */
export const isFocusFree = (): boolean => document.activeElement?.matches('body, #main') ?? true

/** A key by its name in lower case; `g d` is one after the other. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  // Before the next key can come: what was just drawn already hears it.
  useLayoutEffect(() => {
    let before = ''
    const press = (event: KeyboardEvent): void => {
      if (
        event.defaultPrevented ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        document.querySelector('dialog[open]')
      )
        return
      if (isTyping(event.target)) {
        if (event.key === 'Escape') focusContent()
        return
      }
      const key = event.key.toLowerCase()
      if (key === 'enter' && isPressable(event.target)) return
      const run = latest.current[`${before} ${key}`] ?? latest.current[key]
      before = key === 'g' ? 'g' : ''
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
