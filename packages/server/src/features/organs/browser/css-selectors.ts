/** Selectors: what they weigh, which elements they match as the page is loaded, and which they could ever match. */
import { parse, type Selector } from 'css-what'

export type Complex = Selector[]

/** True or false of a tree for good. */
const STEADY = /^(?:not|is|where|root|(?:first|last|only)-(?:child|of-type)|nth-(?:last-)?(?:child|of-type))$/
const NTH = /^\s*(?:odd|even|[+-]?\d+|[+-]?\d*n(?:\s*[+-]\s*\d+)?)\s*$/i
/** Known as the page is loaded, and able to change. */
const LOADED = /^(?:has|empty|checked|disabled|enabled|required|optional|link|any-link)$/
const BY_READER =
  /^(?:hover|active|visited|target|focus(?:-visible|-within)?|(?:in)?valid|read-(?:only|write)|placeholder-shown|default|indeterminate|lang|dir|defined|scope)$/
/** Whether a browser may not know the state, and drop the whole rule. */
export const isDoubtful = (state: string): boolean => !BY_READER.test(state) && !LOADED.test(state)

/** Parts of an element that are not its text, and that every browser knows. */
const PSEUDO_ELEMENTS = /^(?:before|after|marker|placeholder|selection|backdrop|file-selector-button)$/
const FOREIGN_BESIDE = /^-(?:webkit|moz|ms|o)-/
const OLD_PART = /^(?:before|after|first-line|first-letter)$/

const EVERY: Selector = { type: 'universal', namespace: null } as Selector
const pseudo = (name: string, data: Selector[][]): Selector => ({ type: 'pseudo', name, data }) as Selector
const [ALWAYS, NEVER] = [pseudo('is', [[EVERY]]), pseudo('not', [[EVERY]])]

/** Selectors in selectors multiply. */
const MAX_TOKENS = 500

/** Null for what no reading was found of. */
export function readSelectors(text: string, parents: readonly Complex[] | null): Complex[] | null {
  try {
    const list = parse(text.replaceAll('&', ':nest')) as Complex[]
    const all = parents === null ? list : list.map((one) => nested(one, parents))
    return sizeOf(all, 0) > MAX_TOKENS ? null : all
  } catch {
    return null
  }
}

function sizeOf(list: readonly Complex[], before: number): number {
  let size = before
  for (const complex of list)
    for (const token of complex) {
      size += 1
      if (size > MAX_TOKENS) return size
      if (token.type === 'pseudo' && Array.isArray(token.data)) size = sizeOf(token.data, size)
    }
  return size
}

/** A selector in the block of another. */
function nested(complex: Complex, parents: readonly Complex[]): Complex {
  let isNamed = false
  const visit = (tokens: Complex): Complex =>
    tokens.map((token) => {
      if (token.type !== 'pseudo') return token
      if (token.name === 'nest') {
        isNamed = true
        return pseudo('is', parents as Selector[][])
      }
      return Array.isArray(token.data) ? pseudo(token.name, token.data.map(visit)) : token
    })
  const inside = visit(complex)
  if (isNamed) return inside
  const gap = isCombinator(inside[0]) ? [] : [{ type: 'descendant' } as Selector]
  return [pseudo('is', parents as Selector[][]), ...gap, ...inside]
}

const isCombinator = (token: Selector | undefined): boolean =>
  token !== undefined && /^(?:adjacent|child|descendant|sibling|parent|column-combinator)$/.test(token.type)

/** As the standard counts: identifiers, then classes, attributes and states, then names. */
export function weightOf(complex: Complex): number {
  const weights = complex.map((token): number => {
    if (token.type === 'attribute') return token.name === 'id' && token.ignoreCase === 'quirks' ? 1e10 : 1e5
    if (token.type === 'tag' || token.type === 'pseudo-element') return 1
    if (token.type !== 'pseudo') return 0
    if (token.name === 'where') return 0
    return Array.isArray(token.data) && /^(?:is|not|has|matches)$/.test(token.name)
      ? Math.max(0, ...token.data.map(weightOf))
      : 1e5
  })
  return weights.reduce((sum, weight) => sum + weight, 0)
}

export interface Reading {
  /** What it says of the page as it is loaded. */
  now: Complex
  /** Whatever states a reader brings about. */
  ever: Complex
  /** What its truth hangs on besides the page; none where it is certain. */
  states: string[]
  /** It is about a part beside the text. */
  isBeside: boolean
  /** It is about a part of the text alone, such as the first line. */
  isPart: boolean
}

export function readingOf(complex: Complex): Reading {
  const last = complex.at(-1)
  const part =
    last?.type === 'pseudo-element' || (last?.type === 'pseudo' && OLD_PART.test(last.name)) ? last.name : null
  const body = part === null ? complex : complex.slice(0, -1)
  const states = new Set<string>()
  const now = rewritten(body, states, false, true)
  const ever = rewritten(body, new Set(), true, true)
  if (part !== null && !PSEUDO_ELEMENTS.test(part)) states.add(`::${part}`)
  const isBeside = part !== null && (PSEUDO_ELEMENTS.test(part) || FOREIGN_BESIDE.test(part))
  return { now, ever, states: [...states].sort(), isBeside, isPart: part !== null && !isBeside }
}

/** With the states put to what they are at first, or to whatever lets the selector match. */
function rewritten(complex: Complex, states: Set<string>, isEver: boolean, isWanted: boolean): Complex {
  const tokens = complex.length === 0 || isCombinator(complex.at(-1)) ? [...complex, EVERY] : complex
  let isFirst = true
  return tokens.map((token): Selector => {
    const starts = isFirst
    isFirst = isCombinator(token)
    const unknown = (name: string): Selector => {
      states.add(name)
      return isEver && isWanted ? ALWAYS : NEVER
    }
    if (token.type === 'pseudo-element') return unknown(`::${token.name}`)
    if (token.type === 'parent' || token.type === 'column-combinator') states.add(token.type)
    if ((token.type === 'tag' || token.type === 'universal') && !starts) states.add('syntax')
    if (token.type === 'attribute') {
      if (token.action === 'not') return unknown('!=')
      return isEver && isWanted && token.ignoreCase === 'quirks' ? { ...token, ignoreCase: true } : token
    }
    if (token.type !== 'pseudo') return token
    const { name, data } = token
    if (LOADED.test(name)) states.add(name)
    else if (!STEADY.test(name) || (name.startsWith('nth') && !NTH.test(String(data)))) return unknown(name)
    if (isEver && LOADED.test(name) && !Array.isArray(data)) return unknown(name)
    if (!Array.isArray(data)) return token
    const inner = data.map((one) =>
      name === 'has' && isCombinator(one[0])
        ? [one[0]!, ...rewritten(one.slice(1), states, isEver, isWanted)]
        : rewritten(one, states, isEver, isWanted !== (name === 'not')),
    )
    return pseudo(name, inner)
  })
}

/** Whether browsers take it for a selector beyond doubt; the parser takes more. */
export function isPlainSelector(text: string): boolean {
  const plain = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, 'q')
  return (
    /^(?:[\s\w>+~,*.#:()[\]=|^$&\u00a0-\uffff-]|\\[^\n])+$/.test(plain) &&
    !/[.#](?![\w\\\u00a0-\uffff-])|:(?![\w:\\-])|^[\s>+~,]|[\s>+~,]$|[.#:=]\s*-?\d|\|\||,\s*[,)>+~]|\(\s*[),]|[\w\])]\s*\|(?!=)/.test(
      plain.trim(),
    )
  )
}
