/** Times: relative with UTC in the title, or UTC, or local, as the reader chose for all pages. */
import { createContext, type ReactNode, use, useMemo, useState, useSyncExternalStore } from 'react'
import { remembered } from '../../remembered.ts'

const times = remembered('orch.times', ['relative', 'utc', 'local'])
type Times = ReturnType<typeof times.read>

interface TimeChoice {
  chosen: Times
  change(): void
}

const TimeContext = createContext<TimeChoice>({ chosen: 'relative', change: () => undefined })

export const useTimes = (): TimeChoice => use(TimeContext)

export function TimesProvider({ children }: { children: ReactNode }) {
  const [chosen, choose] = useState(times.read)
  const value = useMemo(() => {
    const change = () => {
      const next = times.next(chosen)
      times.store(next)
      choose(next)
    }
    return { chosen, change }
  }, [chosen])
  return <TimeContext value={value}>{children}</TimeContext>
}

function everySecond(changed: () => void): () => void {
  const timer = setInterval(changed, 1_000)
  return () => clearInterval(timer)
}

/** Whole seconds, so that what is drawn changes once a second and not more. */
export const useSeconds = (): number => useSyncExternalStore(everySecond, () => Math.floor(Date.now() / 1_000))

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const

/** The largest whole unit, rounded down: an age is never said to be more than it is. */
export function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const unit = UNITS.find(([length]) => whole >= length)
  return unit === undefined ? `${whole} s` : `${Math.floor(whole / unit[0])} ${unit[1]}`
}

export function Time({ at }: { at: string | number }) {
  const { chosen } = use(TimeContext)
  const seconds = useSeconds()
  const time = new Date(at)
  const utc = time.toISOString()
  const words = {
    relative: `${spanOf(seconds - time.getTime() / 1_000)} ago`,
    utc: `${utc.slice(11, 19)}Z`,
    local: time.toLocaleTimeString(undefined, { hour12: false }),
  }
  return (
    <time dateTime={utc} title={utc}>
      {words[chosen]}
    </time>
  )
}
