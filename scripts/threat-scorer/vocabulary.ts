// Which n-gram owns each slot of the table: of those that share it, the one that tells attacks from other texts best.
import { SETTINGS, type TrainingText } from './examples.ts'

/** N-grams of fewer texts are noise, and might be somebody's name. */
const MIN_TEXTS = 3

/** The slot of each n-gram that owns one. */
export type Vocabulary = Map<number, number>

export function vocabularyOf(texts: readonly TrainingText[]): Vocabulary {
  const attacks = texts.filter(({ isAttack }) => isAttack).length
  const owners = new Map<number, { ngram: number; worth: number }>()
  for (const [ngram, seen] of counted(texts)) {
    if (seen.attacks + seen.others < MIN_TEXTS) continue
    const odds = Math.log((seen.attacks + 0.5) / (attacks + 1) / ((seen.others + 0.5) / (texts.length - attacks + 1)))
    const worth = Math.abs(odds) * Math.sqrt(seen.attacks + seen.others)
    const slot = ngram & (SETTINGS.slots - 1)
    const owner = owners.get(slot)
    if (!owner || worth > owner.worth || (worth === owner.worth && ngram < owner.ngram))
      owners.set(slot, { ngram, worth })
  }
  return new Map([...owners].map(([slot, { ngram }]) => [ngram, slot]))
}

function counted(texts: readonly TrainingText[]): Map<number, { attacks: number; others: number }> {
  const counts = new Map<number, { attacks: number; others: number }>()
  for (const { windows, isAttack } of texts)
    for (const ngram of new Set(windows.flatMap((window) => [...window.keys()]))) {
      const seen = counts.get(ngram) ?? { attacks: 0, others: 0 }
      seen[isAttack ? 'attacks' : 'others']++
      counts.set(ngram, seen)
    }
  return counts
}
