// All languages besides English, looked up by word.
import { CHINESE, CHINESE_OTHER_WORDS } from './chinese.ts'
import { FRENCH } from './french.ts'
import { GERMAN } from './german.ts'
import { JAPANESE, JAPANESE_OTHER_WORDS } from './japanese.ts'
import type { ForeignCode, Language } from './language.ts'
import { PORTUGUESE } from './portuguese.ts'
import { RUSSIAN } from './russian.ts'
import { SPANISH } from './spanish.ts'

export const LANGUAGES: readonly Language[] = [GERMAN, FRENCH, SPANISH, PORTUGUESE, RUSSIAN, CHINESE, JAPANESE]
const BY_CODE = new Map(LANGUAGES.map((language) => [language.code, language]))

export const languageOf = (code: ForeignCode): Language => BY_CODE.get(code)!

/** Words of the languages that put no spaces between them, longest first; single letters of kana are cut out too. */
export function unspacedWords(): string[] {
  const known = [CHINESE, JAPANESE].flatMap((language) => [
    ...language.verbs.flatMap(({ forms, past, denied }) => [...forms, ...past, ...denied]),
    ...[language.universal, language.negations, language.between, language.asking, language.small].flat(),
  ])
  return [...new Set([...known, ...CHINESE_OTHER_WORDS, ...JAPANESE_OTHER_WORDS])]
}
