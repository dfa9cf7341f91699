/** Allowed, held or denied: a word and a shape, the colour only repeats them. An allowed decision never has a tick. */
import { outcomeOf } from '../words.ts'
import { Icon } from './icon.tsx'

export function Outcome({ decision }: { decision: string | null }) {
  const { tone, word, shape } = outcomeOf(decision)
  return (
    <span className={`outcome ${tone}`}>
      <Icon name={shape} />
      {word}
    </span>
  )
}
