/** The honesty badge: one word, a shape of its own, and on focus where the value came from and when. The word comes from
 *  the reply. */
import { createContext, use } from 'react'
import { Icon } from './icon.tsx'

/** Around what was read before the service stopped answering. What claims to be of now is called cached there. */
export const IsOld = createContext(false)
const UNTRIED = 'not configured, so nothing was asked'
const OF_NOW = ['LIVE', 'MEASURED']

const LOOKS: Readonly<Record<string, string>> = {
  LIVE: 'live',
  MEASURED: 'measured',
  MODELED: 'modeled',
  SIMULATED: 'simulated',
  'SIMULATION-ONLY': 'simulated',
  SAMPLE: 'sample',
  'STRUCTURAL-ONLY': 'structural',
  UNAVAILABLE: 'unavailable',
  ROADMAP: 'roadmap',
  DEMO: 'demo',
  cached: 'cached',
  unreachable: 'unreachable',
}

interface BadgeProps {
  /** Null or absent where the reply gave none: that is a fault, and it is drawn as one. */
  label: string | null | undefined
  source?: string | null
  at?: string | number | null
  /** Nothing was tried, so nothing failed: the word stays, without the look of a fault. */
  isUntried?: boolean
}

export function Badge({ label: given, source = null, at = null, isUntried = false }: BadgeProps) {
  const label = use(IsOld) && OF_NOW.includes(given ?? '') ? 'cached' : given
  const look = isUntried ? 'unavailable' : LOOKS[label ?? '']
  const word = look === undefined ? 'unlabelled' : (label as string)
  const time = at === null ? null : `read ${typeof at === 'number' ? new Date(at).toISOString() : at}`
  const tip = [look === undefined ? 'the reply gave no label' : isUntried ? UNTRIED : source, time]
    .filter((part) => part !== null)
    .join(', ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: where a value came from is shown on focus
    <span className={`badge badge-${look ?? 'unlabelled'} tip`} data-label={word} data-tip={tip || word} tabIndex={0}>
      <Icon name={look ?? 'unlabelled'} />
      {word}
      {tip === '' ? null : <span className="unseen">, {tip}</span>}
    </span>
  )
}
