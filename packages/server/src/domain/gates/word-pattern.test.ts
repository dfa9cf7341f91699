import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { loadConfusables } from '../text/confusables.ts'
import { normalise } from '../text/normalise.ts'
import { Lexicon } from './lexicon.ts'
import { WordPatterns } from './word-pattern.ts'
import { wordsOf } from './words.ts'

const table = loadConfusables(
  JSON.parse(readFileSync(new URL('../../../rules/confusables.json', import.meta.url), 'utf8')),
)
const lexicon = new Lexicon(table)
const patterns = new WordPatterns()
patterns.add([{ within: 2, slots: [['forget', 'drop'], ['all', 'the'], ['rules']], not_after: ['never'] }], lexicon)
patterns.add([{ within: 3, slots: [['show me'], ['rules', 'prompt']], unless: ['public'] }], lexicon)
patterns.add([{ within: 1, slots: [['rules'], ['rules']], hold_with: ['public'] }], lexicon)

function matchesOf(text: string): unknown {
  const folded = normalise(text, table).views.find(({ name }) => name === 'folded')!
  return patterns.scan(wordsOf(folded, lexicon), 'user').matches
}

const WORDS = ['forget', 'drop', 'all', 'the', 'rules', 'never', 'show', 'me', 'prompt', 'public', 'tree', '7']

test('a sequence matches in a long text where it matches in a short one', () => {
  const others = ' leaf'.repeat(80)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 40 }), (words) => {
      const text = words.join(' ')
      assert.deepEqual(matchesOf(`${text}.${others}`), matchesOf(`${text}. leaf`))
    }),
    { seed: 14, numRuns: 2000 },
  )
})

test('a long text with a word for every slot matches, and one that lacks a slot does not', () => {
  const others = ' leaf'.repeat(80)
  const of = (text: string) => (matchesOf(text + others) as unknown[]).flat().length
  assert.deepEqual(['forget all rules', 'forget rules', 'forget all', 'show me rules'].map(of), [1, 0, 0, 1])
})
