// Lists the words of harmless texts that the canonical view would take for a mistyped word of a rule:
// `node scripts/list-ordinary-words.ts`. They belong into `ordinary_words` of rules/gates.json, which is left out here.
import { readFileSync } from 'node:fs'
import { splitTexts } from '../bench/guards/threat-sets.ts'
import { hasTrainingRows } from '../bench/guards/training-texts.ts'
import { loadRules } from '../packages/server/src/domain/gates/rules.ts'
import { withoutAccents } from '../packages/server/src/domain/text/plain-letters.ts'
import { hashOf, unitsOf } from '../packages/server/src/domain/text/word-map.ts'

const RULES = new URL('../packages/server/rules/', import.meta.url)
const json = (name: string) => JSON.parse(readFileSync(new URL(name, RULES), 'utf8'))
/** A mistake is made once; a word stands in several texts. */
const MIN_TEXTS = 3

function main(): void {
  if (!hasTrainingRows()) {
    process.stdout.write('SKIPPED: ../shared/corpora/guards-training absent\n')
    return
  }
  const gates = { ...json('gates.json'), ordinary_words: [] }
  const { index } = loadRules({ gates, confusables: json('confusables.json'), scorer: json('threat-scorer.json') })
  const counts = new Map<string, number>()
  for (const { kind, text } of splitTexts().trained) {
    if (kind !== 'harmless' && kind !== 'clean data' && kind !== 'trigger words') continue
    const words = withoutAccents(text.normalize('NFKC').toLowerCase()).split(/[^\p{L}]+/u)
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const ordinary = [...counts]
    .filter(
      ([word, count]) =>
        count >= MIN_TEXTS && !index.has(word) && index.corrected(unitsOf(word), 0, word.length, hashOf(word)) !== null,
    )
    .map(([word]) => word)
  process.stdout.write(`${JSON.stringify(ordinary.sort(), null, 2)}\n`)
}

main()
