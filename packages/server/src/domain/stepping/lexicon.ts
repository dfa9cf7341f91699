// All words of the experts in one table, also as they look after look-alikes became one letter: in that view a word of
// the text is read back as the word it imitates.
import { type Confusables, skeletonWord } from '../text/confusables.ts'
import { DATA_PHRASES, NOT_DATA_BEFORE, OUTSIDE } from './data-classes.ts'
import * as grammar from './grammar-words.ts'
import { type VerbForm, verbForms } from './inflection.ts'
import { Phrases, plainPhrases } from './phrases.ts'
import { CONTROLS, PRIVILEGE_PHRASES, ROOT_AFTER, ROOT_BEFORE, SWITCHING_OFF } from './privilege-words.ts'
import { type ActionClass, IDIOMS, VERB_PHRASES } from './verbs.ts'

export interface StepLexicon {
  verbs: ReadonlyMap<string, VerbForm>
  verbPhrases: Phrases<ActionClass>
  idioms: Phrases<true>
  negationIdioms: Phrases<boolean>
  requestOpeners: Phrases<true>
  data: Phrases<true>
  privileges: Phrases<true>
  spell(word: string): string
  /** For a view in which look-alikes are already one letter. */
  spellSkeleton(word: string): string
}

/** Built once for the table in charge. */
export function stepLexicon(table: Confusables): StepLexicon {
  const lexicon = {
    verbs: verbForms(),
    verbPhrases: new Phrases(VERB_PHRASES),
    idioms: plainPhrases(IDIOMS),
    negationIdioms: new Phrases([
      ...grammar.NEGATION_IDIOMS.map((phrase) => [phrase, true] as const),
      // This one means what it says.
      ['dont you dare', false],
    ]),
    requestOpeners: plainPhrases(grammar.REQUEST_OPENERS),
    data: plainPhrases(DATA_PHRASES),
    privileges: plainPhrases(PRIVILEGE_PHRASES),
  }
  const skeletons = new Map<string, string>()
  const { verbs, ...phrases } = lexicon
  for (const word of [...verbs.keys(), ...Object.values(phrases).flatMap((table) => table.words()), ...plainWords()])
    if (!skeletons.has(skeletonWord(word, table))) skeletons.set(skeletonWord(word, table), word)
  return { ...lexicon, spell: (word) => word, spellSkeleton: (word) => skeletons.get(word) ?? word }
}

function plainWords(): string[] {
  const sets = [NOT_DATA_BEFORE, OUTSIDE, CONTROLS, ROOT_AFTER, ROOT_BEFORE, SWITCHING_OFF, ...Object.values(grammar)]
  return sets.flatMap((set) => (set instanceof Set ? [...(set as Set<string>)] : []))
}
