/** A dialog of the browser: it traps the focus, begins at its first field where it has one, closes on Esc and gives the focus back. */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Icon } from './icon.tsx'

interface DialogProps {
  title: string
  onClose(): void
  children: ReactNode
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  // Closed while it is still in the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('input, textarea, select')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={box} aria-label={title} onClose={onClose}>
      <div className="card-head">
        <h2>{title}</h2>
        <button type="button" className="btn btn-icon right" aria-label="Close" onClick={() => box.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div className="card-body">{children}</div>
    </dialog>
  )
}
