/** The styles of a page as far as they hide text: no layout, but every way to hide that a style by itself gives away.
 *  Whatever hides in any case that could be is at least perhaps hidden; only what is certain shows. */
import { type Basis, byLayer, type Entry, isDark, type Own, ROOT, resolve } from './box.ts'
import { type Complex, isDoubtful, type Reading, readingOf, weightOf } from './css-selectors.ts'
import { type Condition, emptySheets, noteStrings, type Rule, readMedia, readSheet, type Sheets } from './css-sheet.ts'
import { declarationIn, itemsOf } from './css-syntax.ts'
import { isRelevant, OF_BODY } from './css-values.ts'
import { hintsOf, ownWays, textWays } from './elements.ts'
import { HIDING, type Hiding } from './shapes.ts'

export interface Styles {
  /** Every way in which the element is hidden, by itself or by what it lies in. */
  hiddenBy(element: Element): Hiding[]
  /** The same of the text that lies directly in it. */
  textHiddenBy(element: Element): Hiding[]
  /** Not hidden, as far as the styles could be read. */
  isVisible(element: Element): boolean
  isTextVisible(element: Element): boolean
  /** As far as the computation of names asks. */
  computed(element: Element): { getPropertyValue(name: string): string; display: string; visibility: string }
  /** Text that style sheets put on the page. */
  generated: string[]
  /** Style sheets that were not read, in words. */
  unread: string[]
}

const MAX_ENTRIES = 200_000
/** Cases are told apart by conditions: all cases of as many are gone through. */
const MAX_CONDITIONS = 5
const MAX_CASES = 20_000
const UNREAD: ReadonlySet<Hiding> = new Set(['unread_style'])

export function stylesOf(document: Document): Styles {
  const sheets = readSheets(document)
  const { unread, generated } = sheets
  const bits = new Map<string, bigint>()
  const bitOf = (key: string): bigint => {
    if (!bits.has(key)) bits.set(key, 1n << BigInt(bits.size))
    return bits.get(key)!
  }
  const matched = matchAll(document, sheets, bitOf)
  const inline = inlineOf(document, sheets, bitOf)
  const scheme = isDark(document, sheets)

  const masks = new Map<Element | null, bigint>([[null, 0n]])
  const maskOf = (element: Element | null): bigint => {
    const known = masks.get(element)
    if (known !== undefined) return known
    const entries = [...(matched.get(element!) ?? []), ...(inline.get(element!) ?? [])]
    const mask = entries.reduce((sum, { needs, forbids }) => sum | needs | forbids, maskOf(element!.parentElement))
    masks.set(element, mask)
    return mask
  }
  const bases = new Map<Element, Basis>()
  const basisOf = (element: Element): Basis => {
    const made = bases.get(element) ?? { ways: ownWays(element), hints: hintsOf(element) }
    bases.set(element, made)
    return made
  }
  const known = new Map<Element, Map<bigint, Own>>()
  let cases = 0
  const own = (element: Element, wanted: bigint): Own => {
    const mine = wanted & maskOf(element)
    const found = known.get(element)?.get(mine)
    if (found !== undefined) return found
    cases += 1
    const applies = ({ needs, forbids }: Entry) => (mine & needs) === needs && (mine & forbids) === 0n
    const parent = element.parentElement === null ? ROOT : own(element.parentElement, mine)
    const made = resolve(element, {
      ...basisOf(element),
      ...{ parent, registered: sheets.registered, isDark: scheme },
      rules: (matched.get(element) ?? []).filter(applies),
      inline: (inline.get(element) ?? []).filter(applies),
    })
    if (!known.has(element)) known.set(element, new Map())
    known.get(element)!.set(mine, made)
    return made
  }
  /** In any case that could be. */
  const isPerhaps = (element: Element): boolean => {
    if (unread.length > 0) return true
    const conditions = [...bits.values()].filter((bit) => (maskOf(element) & bit) !== 0n)
    if (conditions.length > MAX_CONDITIONS) return true
    for (let at = 0; at < 1 << conditions.length; at += 1) {
      if (cases > MAX_CASES) return true
      const one = conditions.reduce((sum, bit, place) => ((at >> place) & 1 ? sum | bit : sum), 0n)
      if (own(element, one).hiding.size > 0) return true
    }
    return false
  }
  const perhaps = new Map<Element, boolean>()
  const hiddenBy = (element: Element, more: readonly Hiding[]): Hiding[] => {
    const ways = new Set([...own(element, 0n).hiding, ...more])
    if (ways.isSubsetOf(UNREAD)) {
      if (!perhaps.has(element)) perhaps.set(element, isPerhaps(element))
      if (perhaps.get(element)) ways.add('unread_style')
    }
    return HIDING.filter((way) => ways.has(way))
  }
  const isVisible = (element: Element) => own(element, 0n).hiding.isSubsetOf(UNREAD)
  return {
    unread,
    generated,
    isVisible,
    isTextVisible: (element) => isVisible(element) && new Set(textWays(element)).isSubsetOf(UNREAD),
    hiddenBy: (element) => hiddenBy(element, []),
    textHiddenBy: (element) => hiddenBy(element, textWays(element)),
    computed(element) {
      const { hiding } = own(element, 0n)
      const isGone = hiding.has('display') || hiding.has('not_rendered')
      const [display, visibility] = [isGone ? 'none' : 'block', hiding.has('visibility') ? 'hidden' : 'visible']
      const asked: Record<string, string> = { display, visibility }
      return { display, visibility, getPropertyValue: (name) => asked[name] ?? '' }
    },
  }
}

/** A policy of the page may keep its styles from applying. */
const hasPolicy = (document: Document): boolean =>
  document.querySelector('meta[http-equiv="content-security-policy" i]') !== null

function readSheets(document: Document): Sheets {
  const sheets = emptySheets()
  if (document.querySelector('link[rel~="stylesheet" i]'))
    sheets.unread.push('a style sheet at another address was not loaded')
  for (const style of document.querySelectorAll('style')) {
    const type = style.getAttribute('type')?.toLowerCase() ?? ''
    if (type !== '' && type !== 'text/css') continue
    const conditions: Condition[] = hasPolicy(document) ? [{ key: 'policy', isLikely: true }] : []
    // Of several sets with titles one is chosen; a sheet in a template or a drawing is another's, or none.
    if (style.hasAttribute('title')) conditions.push({ key: `title ${style.getAttribute('title')}`, isLikely: true })
    if (style.closest('template') !== null) conditions.push({ key: 'template', isLikely: false })
    else if (style.closest('svg, math') !== null) conditions.push({ key: 'drawing', isLikely: true })
    readMedia(style.getAttribute('media') ?? '', conditions, (when) => readSheet(style.textContent!, when, sheets))
  }
  return sheets
}

/** Whether a page is one of old is not asked: it could be. */
const TABLE_OF_OLD = [
  { name: 'color', value: OF_BODY, isImportant: false },
  { name: 'font-size', value: 'medium', isImportant: false },
]

/** The rules that could meet each element, the weightiest last. */
function matchAll(document: Document, sheets: Sheets, bitOf: (key: string) => bigint): Map<Element, Entry[]> {
  const matched = new Map<Element, Entry[]>()
  const hasCapitals = [...document.querySelectorAll('[class], [id]')].some((element) =>
    /[A-Z]/.test(`${element.getAttribute('class')}${element.getAttribute('id')}`),
  )
  for (const table of document.querySelectorAll('table'))
    matched.set(table, [{ declarations: TABLE_OF_OLD, layer: [], weight: -1, needs: bitOf('old'), forbids: 0n }])
  let count = 0
  for (const rule of sheets.rules) {
    const readings = rule.selectors.map((complex) => [readingOf(complex), weightOf(complex)] as const)
    // A list with one selector that a browser does not know counts for nothing.
    const doubtful = new Set(readings.flatMap(([{ states }]) => states.filter(isDoubtful)))
    const doubt = doubtful.size === 0 ? 0n : bitOf(`known ${[...doubtful].sort().join(' ')}`)
    for (const [reading, weight] of readings) {
      if (reading.isBeside) continue
      const states = reading.states.join(' ')
      const [now, ever] = elementsOf(document, reading, hasCapitals || /[A-Z]/.test(JSON.stringify(reading.now)))
      if (now === null) {
        sheets.unread.push('a selector could not be read')
        continue
      }
      const entry = entryOf(rule, weight, doubt, bitOf)
      for (const element of ever) {
        if (++count > MAX_ENTRIES) {
          sheets.unread.push('the style sheets meet more elements than are read')
          return matched
        }
        const bit = now.has(element) && states === '' ? 0n : bitOf(`state ${states}`)
        const isNow = now.has(element) && !reading.isPart
        const made = isNow ? { ...entry, forbids: entry.forbids | bit } : { ...entry, needs: entry.needs | bit }
        const entries = matched.get(element) ?? []
        if (entries.push(made) === 1) matched.set(element, entries)
      }
    }
  }
  for (const entries of matched.values()) entries.sort((a, b) => byLayer(a, b) || a.weight - b.weight)
  return matched
}

function entryOf(rule: Rule, weight: number, doubt: bigint, bitOf: (key: string) => bigint): Entry {
  const bitsOf = (isLikely: boolean) =>
    rule.conditions.filter((one) => one.isLikely === isLikely).reduce((sum, { key }) => sum | bitOf(key), 0n)
  return {
    ...{ declarations: rule.declarations, layer: rule.layer },
    // What is near in scope wins among equals.
    weight: weight + (rule.isScoped ? 0.5 : 0),
    // A bit says that a condition is not as it likely is.
    needs: bitsOf(false),
    forbids: bitsOf(true) | doubt,
  }
}

/** Null where a selector cannot be matched. */
function elementsOf(
  document: Document,
  { now, ever, states }: Reading,
  hasCapitals: boolean,
): [Set<Element> | null, Iterable<Element>] {
  // The tree goes in as it is: written out and read again it could come out as another.
  const select = (complex: Complex) => document.querySelectorAll([structuredClone(complex)] as unknown as string)
  try {
    const found = new Set(select(now))
    return [found, states.length > 0 || hasCapitals ? new Set([...found, ...select(ever)]) : found]
  } catch {
    return [null, []]
  }
}

function inlineOf(document: Document, sheets: Sheets, bitOf: (key: string) => bigint): Map<Element, Entry[]> {
  const forbids = hasPolicy(document) ? bitOf('policy') : 0n
  const found = new Map<Element, Entry[]>()
  for (const element of document.querySelectorAll('[style]')) {
    const declarations = [...itemsOf(element.getAttribute('style')!, 'style')].flatMap(({ prelude, block }) => {
      const declaration = block === null ? declarationIn(prelude) : null
      return declaration === null ? [] : [declaration]
    })
    for (const declaration of declarations) noteStrings(declaration, sheets)
    const relevant = declarations.filter(({ name }) => isRelevant(name))
    found.set(element, [{ declarations: relevant, layer: [], weight: 0, needs: 0n, forbids }])
  }
  return found
}
