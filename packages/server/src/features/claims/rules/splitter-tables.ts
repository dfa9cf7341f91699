/** What the splitter knows. Everything it does is decided by these lists and by the characters of the text. */
export const SPLITTER_VERSION = '2'
export const METHOD = 'GUARDED-PUNCTUATION-AND-LINE-SPLIT'

const wordsOf = (text: string): readonly string[] => Object.freeze(text.split(' '))
const pointsOf = (text: string): ReadonlySet<number> => new Set(Array.from(text, (mark) => mark.codePointAt(0)!))

export const ABBREVIATIONS = Object.freeze({
  /** Always followed by more of the same sentence. */
  title: wordsOf(
    'dr mr mrs ms mx prof rev hon gen col capt lt sgt maj adm sen rep gov pres vs cf e.g i.e viz approx ca ref mme mlle',
  ),
  /** Only before a digit: "no." and "Dec." also end sentences. */
  number: wordsOf(
    'no nos fig figs eq eqs sec ch vol p pp art para ver jan feb mar apr jun jul aug sep sept oct nov dec',
  ),
  /** Unless a word follows that begins sentences. */
  tail: wordsOf('inc ltd co corp llc jr sr st mt etc al ph.d dept univ bros'),
  /** Two letters with a space between, each with its dot; the second one never ends anything either. */
  spaced: Object.freeze(['z b', 'd h', 'u a', 'u u', 'v a', 's o', 's u', 'o ä', 'm e', 'i d', 'd r']),
})

/** German writes the day before the month with a dot: "3. Mai". */
export const MONTHS = wordsOf(
  'Januar Jänner Februar Feber März April Mai Juni Juli August September Oktober November Dezember Jan Feb Mär Mrz Apr Jun Jul Aug Sep Sept Okt Nov Dez',
)

export const STARTERS = wordsOf(
  'A An The This That These Those It Its He She We They You I There Here In On At By For From However But And Or So Then When While After Before Although Since If',
)

/** As they are written, for the description of the splitter; `markers.ts` reads them. */
export const MARKERS = Object.freeze([
  ...wordsOf('- * + • ‣ ◦ – —'),
  ...wordsOf('# ## ### #### ##### ###### >'),
  '[ ]',
  '[x]',
  '1. to 999.',
  '1) to 999)',
  '(1) to (999)',
  'a letter and )',
])
export const BULLETS = pointsOf('-*+•‣◦–—>')

/** In the order they are asked. */
export const GUARD_RULES = Object.freeze(['quote', 'entity', 'ellipsis', 'abbreviation', 'initial', 'date'] as const)
/** `digits`: the piece behind has nothing but digits and punctuation, and joined this one. */
export type GuardRule = (typeof GUARD_RULES)[number] | 'digits'

export const COMPOUND_WORDS = wordsOf('and or but while whereas although because therefore however')

export const LINE_BREAKS: ReadonlySet<number> = new Set([0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029])
export const STOPS = pointsOf('.!?;…')
/** Cut without whitespace behind them: the scripts that use them write none. */
export const WIDE_STOPS = pointsOf('。！？；।॥؟۔')
export const CLOSERS = pointsOf('"\'”’)]}»」』*_')
export const OPENERS = pointsOf('"\'“‘([{«「『*_')
