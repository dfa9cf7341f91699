/** The rules of a style sheet, each with what it hangs on. No condition is decided here for good: a rule that could apply
 *  is kept, and whoever reads it asks what the page is with it and without it. */
import { type Complex, isPlainSelector, readSelectors } from './css-selectors.ts'
import { type Declaration, declarationIn, itemsOf, splitAt, stringsIn } from './css-syntax.ts'
import { isRelevant } from './css-values.ts'

/** A condition that holds or does not; `isLikely` in the window that is assumed. */
export interface Condition {
  key: string
  isLikely: boolean
}

export interface Rule {
  selectors: readonly Complex[]
  conditions: readonly Condition[]
  /** The layers it lies in, from without, each by its place among its siblings. */
  layer: readonly number[]
  isScoped: boolean
  declarations: readonly Declaration[]
}

export interface Sheets {
  rules: Rule[]
  /** Text that style sheets could put on the page. */
  generated: string[]
  unread: string[]
  /** Custom properties that do not behave as others do. */
  registered: Set<string>
  layers: Map<string, number>
}

export const emptySheets = (): Sheets => ({
  ...{ rules: [], generated: [], unread: [], registered: new Set(), layers: new Map() },
})

/** Properties by which a string comes to be seen. */
const WRITES = /^(?:content|quotes|list-style(?:-type)?|symbols|prefix|suffix|hyphenate-character|text-overflow|--.*)$/
/** Blocks without rules for elements. */
const NO_RULES = /^(?:-\w+-)?(?:keyframes|page|counter-style|font-[\w-]+|view-transition|position-try|color-profile)$/

interface Place {
  parents: readonly Complex[] | null
  conditions: readonly Condition[]
  layer: readonly string[]
  isScoped: boolean
  depth: number
}

const MAX_DEPTH = 16

export function readSheet(text: string, conditions: readonly Condition[], into: Sheets): void {
  readItems(text, { parents: null, conditions, layer: [], isScoped: false, depth: 0 }, into)
}

function readItems(text: string, place: Place, into: Sheets): void {
  if (place.depth > MAX_DEPTH) {
    into.unread.push('a style sheet nests its rules deeper than is read')
    return
  }
  let declarations: Declaration[] = []
  const flush = (): void => {
    if (declarations.length > 0 && place.parents !== null)
      into.rules.push({
        ...{ selectors: place.parents, conditions: place.conditions, isScoped: place.isScoped, declarations },
        layer: ranksOf(place.layer, into),
      })
    declarations = []
  }
  for (const { prelude, block } of itemsOf(
    text,
    place.parents !== null ? 'style' : place.depth === 0 ? 'top' : 'rules',
  )) {
    if (block === null && !prelude.startsWith('@')) {
      const declaration = declarationIn(prelude)
      if (declaration === null) continue
      noteStrings(declaration, into)
      if (isRelevant(declaration.name)) declarations.push(declaration)
      continue
    }
    flush()
    if (prelude.startsWith('@')) readAtRule(prelude, block, place, into)
    else readStyleRule(prelude, block!, place, into)
  }
  flush()
}

function readStyleRule(prelude: string, block: string, place: Place, into: Sheets): void {
  const selectors = readSelectors(prelude, place.parents)
  // Of a rule whose selector is not understood it is not known whom it hides.
  const parents = selectors ?? []
  const isSure = selectors !== null && isPlainSelector(prelude)
  const conditions = isSure ? place.conditions : [...place.conditions, { key: 'selector', isLikely: true }]
  const before = into.rules.length
  readItems(block, { ...place, parents, conditions, depth: place.depth + 1 }, into)
  if (selectors === null && into.rules.length > before) into.unread.push('a selector could not be read')
}

function readAtRule(prelude: string, block: string | null, place: Place, into: Sheets): void {
  const [, name = '', rest = ''] = /^@([\w-]+)\s*([\s\S]*)$/.exec(prelude.toLowerCase()) ?? []
  const inside = (more: Partial<Place>) => readItems(block ?? '', { ...place, ...more, depth: place.depth + 1 }, into)
  const when = (key: string, isLikely: boolean) => inside({ conditions: [...place.conditions, { key, isLikely }] })
  if (name === 'layer') {
    const names = rest === '' ? [`*${into.layers.size}`] : splitAt(rest, ',').map((one) => one.trim())
    for (const one of names) ranksOf([...place.layer, ...one.split('.')], into)
    // Where a layer is first named decides its place.
    if (place.conditions.length > 0) into.unread.push('a style sheet has layers that hang on a condition')
    if (block !== null) inside({ layer: [...place.layer, ...names[0]!.split('.')] })
  } else if (name === 'media') readMedia(rest, place.conditions, (conditions) => inside({ conditions }))
  else if (name === 'property') into.registered.add(prelude.slice(9).trim())
  else if (NO_RULES.test(name)) {
    if (name === 'font-face' && /size-adjust/i.test(block ?? '')) into.unread.push('a font is resized')
    for (const { prelude: text } of itemsOf(block ?? '', 'style')) {
      const declaration = declarationIn(text)
      if (declaration !== null) noteStrings(declaration, into)
    }
  } else if (name === 'import' || name === 'namespace')
    into.unread.push(`a style sheet has @${name}, which was not read`)
  else if (block !== null) {
    const isLikely = !/^(?:starting-style|-.*)$/.test(name) && !/\bnot\b/.test(rest)
    if (name === 'scope') inside({ isScoped: true, conditions: [...place.conditions, { key: rest, isLikely }] })
    else when(`@${name} ${rest.replaceAll(/\s+/g, ' ')}`, isLikely)
  }
}

export function noteStrings({ name, value }: Declaration, into: Sheets): void {
  const text = WRITES.test(name) ? stringsIn(value) : ''
  if (text !== '') into.generated.push(text)
}

function ranksOf(path: readonly string[], { layers }: Sheets): number[] {
  return path.map((_, at) => {
    const key = path.slice(0, at + 1).join('.')
    if (!layers.has(key)) layers.set(key, layers.size)
    return layers.get(key)!
  })
}

/** Reads what stands under a media query; what is for paper alone is no page. */
export function readMedia(
  text: string,
  conditions: readonly Condition[],
  read: (conditions: readonly Condition[]) => void,
): void {
  const query = text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
  if (/^(?:only )?print$/.test(query)) return
  if (/^(?:|all|(?:only )?screen)$/.test(query)) read(conditions)
  else read([...conditions, { key: `@media ${query.replaceAll(/\s*([:,()])\s*/g, '$1')}`, isLikely: isLikely(query) }])
}

/** In a window of 1280 by 720 with a mouse, light, without wishes. */
function isLikely(query: string): boolean {
  return query.split(',').some((one) => {
    const features = [...one.matchAll(/\(([^()]*)\)/g)].every(([, feature = '']) => {
      const [, side, dimension, number, unit] =
        /^\s*(min|max)-(width|height)\s*:\s*([\d.]+)(px|r?em)\s*$/.exec(feature) ?? []
      if (side === undefined) return !/dark|reduce|coarse|portrait|:\s*(?:none|active|more)|2dppx/.test(feature)
      const px = Number(number) * (unit === 'px' ? 1 : 16)
      return (side === 'min') === px <= (dimension === 'width' ? 1280 : 720)
    })
    const isScreen = !/\b(?:print|speech|tty|tv)\b/.test(one)
    return (features && isScreen) !== /^\s*not\b/.test(one)
  })
}
