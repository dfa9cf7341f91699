/** Says a count where screen readers hear it, at most every five seconds. */
import { useEffect, useRef, useState } from 'react'

const MIN_MS = 5_000

export function Announce({ text }: { text: string }) {
  const [said, say] = useState(text)
  const last = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, last.current + MIN_MS - Date.now())
    const timer = setTimeout(() => {
      last.current = Date.now()
      say(text)
    }, wait)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <p className="unseen" aria-live="polite">
      {said}
    </p>
  )
}
