/** Copies a text and says so where screen readers hear it, because a toast could be missed. */
import { type ReactNode, useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

const SAID_MS = 2_000

export function useCopy(): [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return [isCopied, (text) => void copyText(text).then(() => setCopied(true))]
}

/** Over plain HTTP from another machine a browser lends no clipboard; the selection still can be copied. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const box = document.createElement('textarea')
  box.value = text
  document.body.append(box)
  box.select()
  document.execCommand('copy')
  box.remove()
}

interface CopyButtonProps {
  text: () => string
  children: ReactNode
  className?: string
}

export function CopyButton({ text, children, className = 'btn' }: CopyButtonProps) {
  const [isCopied, copy] = useCopy()
  return (
    <button type="button" className={className} onClick={() => copy(text())}>
      <Icon name={isCopied ? 'file' : 'copy'} />
      <span className="fold" aria-live="polite">
        {isCopied ? 'Copied' : children}
      </span>
    </button>
  )
}

/** A line for a shell with its own button. */
export function ShellLine({ text }: { text: string }) {
  const [isCopied, copy] = useCopy()
  return (
    <div className="line">
      <code>{text}</code>
      <button type="button" className="btn btn-icon" aria-label="Copy this line" onClick={() => copy(text)}>
        <Icon name={isCopied ? 'file' : 'copy'} />
        <span className="unseen" aria-live="polite">
          {isCopied ? 'Copied' : ''}
        </span>
      </button>
    </div>
  )
}
