/** The styles of a page as far as they hide text: no layout, but every way to hide that a style by itself gives away. What
 *  cannot be read is said to be unread, never to be visible. */
import { contrastOf, isFaint, parseColour } from './colour.ts'
import { kindOf } from './fields.ts'
import { HIDING, type Hiding } from './shapes.ts'

type Declarations = Map<string, string>

export interface Styles {
  /** Every way in which the content of the element is hidden, by itself or by what it lies in. */
  hiddenBy(element: Element): Hiding[]
  /** Not hidden, as far as the styles could be read. */
  isVisible(element: Element): boolean
  /** As far as the computation of names asks. */
  computed(element: Element): { getPropertyValue(name: string): string; display: string; visibility: string }
  /** Text that style sheets put on the page. */
  generated: string[]
  /** Style sheets that were not read, in words. */
  unread: string[]
}

/** What a browser never draws the content of. */
const NOT_RENDERED = new Set(
  'head title script style template noscript noembed noframes iframe object video audio canvas datalist rp desc metadata defs annotation annotation-xml param area'.split(
    ' ',
  ),
)
/** Properties that hide; the others are not looked at. */
const RELEVANT =
  /^(?:display|visibility|opacity|color|background(?:-color|-image)?|-webkit-text-fill-color|fill|font(?:-size)?|position|left|top|right|bottom|inset|margin(?:-left|-top|-right|-bottom)?|text-indent|(?:max-)?(?:width|height)|overflow(?:-x|-y)?|clip|clip-path|mask(?:-image)?|-webkit-mask(?:-image)?|transform|translate|scale|rotate|filter|zoom|z-index|content-visibility|animation(?:-name)?|mix-blend-mode|content|--.*)$/
/** What this parser of style sheets does not know; a browser does. */
const MODERN = /@(?:layer|container|scope|starting-style|import|property|namespace)\b|\\/

interface Rule {
  selector: string
  weight: number
  declarations: [name: string, value: string, isImportant: boolean][]
}

export function stylesOf(document: Document): Styles {
  const unread: string[] = []
  const generated: string[] = []
  if (document.querySelector('link[rel~="stylesheet" i]'))
    unread.push('a style sheet at another address was not loaded')
  const rules = [...document.querySelectorAll('style')].flatMap((style) => readSheet(style as HTMLStyleElement, unread))
  const matched = new Map<Element, Rule[]>()
  for (const rule of rules) {
    const [selector, pseudo] = rule.selector.split(/::?(before|after|marker|first-letter|first-line)\b/)
    for (const [name, value] of rule.declarations)
      if (name === 'content' && /["']/.test(value)) generated.push(value.replaceAll(/^["']|["']$/g, ''))
    if (pseudo !== undefined) continue
    for (const element of selectAll(document, selector!, unread)) {
      const rulesOf = matched.get(element) ?? []
      if (rulesOf.push(rule) === 1) matched.set(element, rulesOf)
    }
  }
  const known = new Map<Element, Own>()
  const own = (element: Element): Own => {
    const found = known.get(element)
    if (found !== undefined) return found
    const parent = element.parentElement
    const made = resolve(element, matched.get(element) ?? [], parent === null ? ROOT : own(parent))
    if (unread.length > 0) made.hiding.add('unread_style')
    known.set(element, made)
    return made
  }
  return {
    unread,
    generated,
    isVisible: (element) => own(element).hiding.isSubsetOf(UNREAD),
    hiddenBy: (element) => HIDING.filter((way) => own(element).hiding.has(way)),
    computed(element) {
      const { hiding } = own(element)
      const isGone = hiding.has('display') || hiding.has('not_rendered')
      const [display, visibility] = [isGone ? 'none' : 'block', hiding.has('visibility') ? 'hidden' : 'visible']
      const asked: Record<string, string> = { display, visibility }
      return { display, visibility, getPropertyValue: (name) => asked[name] ?? '' }
    },
  }
}

function readSheet(style: HTMLStyleElement, unread: string[]): Rule[] {
  const text = style.textContent!.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ')
  if (MODERN.test(text)) unread.push('a style sheet uses what this build does not read')
  const original = style.textContent!
  try {
    style.textContent = text
    return Array.from(style.sheet!.cssRules).flatMap((rule) => readRule(rule as CSSStyleRule & CSSMediaRule, unread))
  } catch {
    // A browser goes on where this parser stops.
    unread.push('a style sheet could not be parsed')
    return []
  } finally {
    style.textContent = original
  }
}

function readRule(rule: CSSStyleRule & CSSMediaRule, unread: string[]): Rule[] {
  if (rule.selectorText === undefined) {
    if (rule.cssRules === undefined || /^\s*(?:only\s+)?print\s*$/i.test(rule.media?.mediaText ?? '')) return []
    return Array.from(rule.cssRules).flatMap((inner) => readRule(inner as CSSStyleRule & CSSMediaRule, unread))
  }
  const { style } = rule
  const declarations = Array.from(style)
    .map((name): Rule['declarations'][number] => [
      name.toLowerCase(),
      style.getPropertyValue(name).toLowerCase().trim(),
      style.getPropertyPriority(name) !== '',
    ])
    .filter(([name]) => RELEVANT.test(name))
  if (declarations.length === 0) return []
  const kept = declarations.map(([name, value, isImportant]): Rule['declarations'][number] => [
    name,
    name === 'content' ? style.getPropertyValue(name).trim() : value,
    isImportant,
  ])
  return splitAt(rule.selectorText, ',').map((selector) => ({
    selector: selector.trim(),
    weight: weightOf(selector),
    declarations: kept,
  }))
}

const STATE = /:(?:hover|focus|focus-visible|focus-within|active|visited|target)\b/

function selectAll(document: Document, selector: string, unread: string[]): Iterable<Element> {
  // What a pointer has to do first is not the page as it is loaded.
  if (STATE.test(selector)) return []
  try {
    return document.querySelectorAll(selector === '' ? '*' : selector)
  } catch {
    unread.push('a selector could not be read')
    return []
  }
}

function weightOf(selector: string): number {
  const count = (pattern: RegExp) => selector.match(pattern)?.length ?? 0
  return (
    count(/#[\w-]+/g) * 10_000 + count(/\.[\w-]+|\[[^\]]*\]|(?<!:):[\w-]+/g) * 100 + count(/(?:^|[\s>+~])[a-z][\w-]*/gi)
  )
}

/** At a sign that stands in no brackets and no quotes. */
function splitAt(text: string, sign: string): string[] {
  const parts: string[] = ['']
  let [depth, quote] = [0, '']
  for (const letter of text) {
    if (quote !== '') quote = letter === quote ? '' : quote
    else if (letter === '"' || letter === "'") quote = letter
    else if (letter === '(' || letter === '[') depth += 1
    else if (letter === ')' || letter === ']') depth -= 1
    if (letter === sign && depth <= 0 && quote === '') parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts
}

interface Own {
  hiding: Set<Hiding>
  fontPx: number
  /** Null where it could not be read. */
  colour: number[] | null
  background: number[] | null
  opacity: number
  isInvisible: boolean
  custom: ReadonlyMap<string, string>
}

const UNREAD: ReadonlySet<Hiding> = new Set(['unread_style'])
const ROOT: Own = {
  ...{ hiding: new Set(), fontPx: 16, colour: [0, 0, 0, 1], background: [255, 255, 255, 1] },
  ...{ opacity: 1, isInvisible: false, custom: new Map() },
}

/** What hides a whole box hides what lies in it; what is inherited may be set anew. */
const BOXED: readonly Hiding[] = [
  'display',
  'size',
  'off_screen',
  'clip',
  'aria_hidden',
  'not_rendered',
  'unread_style',
]

function resolve(element: Element, rules: readonly Rule[], parent: Own): Own {
  const hiding = new Set(BOXED.filter((way) => parent.hiding.has(way)))
  const { found, isUnread } = declared(element, rules)
  if (isUnread) hiding.add('unread_style')
  const custom = new Map([...parent.custom, ...[...found].filter(([name]) => name.startsWith('--'))])
  const get = (...names: string[]): string => {
    for (const name of names) {
      const value = found.get(name)
      if (value === undefined) continue
      const plain = substitute(value, custom)
      if (plain === null) hiding.add('unread_style')
      else if (plain !== 'inherit' && plain !== 'unset' && plain !== 'initial' && plain !== 'revert') return plain
    }
    return ''
  }
  const length = (text: string, base: number): number | null => {
    const px = toPx(text, base, fontPx)
    if (px === null && text !== '') hiding.add('unread_style')
    return px
  }
  const size = get('font-size') || fontSizeIn(get('font'))
  const sizePx = size === '' ? parent.fontPx : fontPxOf(size, parent.fontPx)
  if (sizePx === null) hiding.add('unread_style')
  const fontPx = sizePx ?? parent.fontPx
  if (fontPx < 4) hiding.add('size')

  if (NOT_RENDERED.has(element.localName) || isClosed(element) || kindOf(element) === 'hidden')
    hiding.add('not_rendered')
  if (element.localName === 'svg' && /^0+(?:px)?$/.test(element.getAttribute('width') ?? '')) hiding.add('size')
  if (element.localName === 'svg' && /^0+(?:px)?$/.test(element.getAttribute('height') ?? '')) hiding.add('size')
  if (get('display') === 'none' || get('content-visibility') === 'hidden') hiding.add('display')
  if (element.hasAttribute('hidden') && get('display') === '') hiding.add('display')
  if (element.getAttribute('aria-hidden')?.toLowerCase() === 'true') hiding.add('aria_hidden')
  const visibility = get('visibility')
  const isInvisible = visibility === '' ? parent.isInvisible : visibility !== 'visible'
  if (isInvisible) hiding.add('visibility')
  const opacity =
    parent.opacity * shareOf(get('opacity'), 1) * shareOf(/opacity\(([^)]*)\)/.exec(get('filter'))?.[1] ?? '', 1)
  if (opacity < 0.1) hiding.add('opacity')

  const paint = get('-webkit-text-fill-color') || (isSvgText(element) ? get('fill') : '') || get('color')
  const colour = paint === '' || paint === 'currentcolor' ? parent.colour : parseColour(paint)
  const ground = get('background-color') || get('background')
  const image = get('background-image')
  const hasImage = (image !== '' && image !== 'none') || /gradient\(|url\(|image\(/.test(ground)
  const plainGround =
    splitAt(ground, ' ')
      .map(parseColour)
      .find((found) => found !== null) ?? null
  const background = hasImage
    ? null
    : plainGround === null
      ? ground === '' || ground === 'none'
        ? parent.background
        : null
      : isFaint(plainGround)
        ? parent.background
        : plainGround
  if (colour === null || background === null) hiding.add('unread_style')
  else if (isFaint(colour) || contrastOf(colour, background) < 1.3) hiding.add('colour')

  placeOf(get, length, hiding)
  return { hiding, fontPx, colour, background, opacity, isInvisible, custom }
}

const FAR = 500
const SIMPLE = /^(?:translate(?:[xyz]|3d)?|scale(?:[xyz]|3d)?|rotate|rotatez|skew[xy]?)$/

/** Where and how large the box is, as far as its own style says so. */
function placeOf(
  get: (...names: string[]) => string,
  length: (text: string, base: number) => number | null,
  hiding: Set<Hiding>,
): void {
  const isFar = (text: string, base: number, most = Infinity) => {
    const px = text === '' || text === 'auto' ? 0 : (length(text, base) ?? 0)
    return px <= -FAR || px >= most
  }
  if (!['', 'static'].includes(get('position'))) {
    // What is fixed is not scrolled to.
    const isFixed = get('position') === 'fixed'
    const [top = '', right = top, bottom = top, left = right] = get('inset').split(/\s+/)
    const sides = [
      [get('left') || left, 1280],
      [get('right') || right, 1280],
      [get('top') || top, 720],
      [get('bottom') || bottom, 720],
    ] as const
    if (sides.some(([text, base]) => isFar(text, base, isFixed ? base : base === 1280 ? 5000 : Infinity)))
      hiding.add('off_screen')
    if (Number(get('z-index')) < 0) hiding.add('off_screen')
  }
  const margins = [
    ...get('margin').split(/\s+/),
    ...['left', 'top', 'right', 'bottom'].map((side) => get(`margin-${side}`)),
  ]
  if ([...margins, get('text-indent')].some((text) => isFar(text, 1280))) hiding.add('off_screen')
  for (const [
    ,
    name = '',
    inside = '',
  ] of `${get('transform')} ${wrap('translate', get('translate'))} ${wrap('scale', get('scale'))}`.matchAll(
    /([a-z0-9]+)\(([^()]*)\)/g,
  )) {
    const parts = inside.split(/[\s,]+/)
    if (!SIMPLE.test(name)) hiding.add('unread_style')
    else if (name.startsWith('scale') && parts.some((part) => Math.abs(shareOf(part, 1)) < 0.1)) hiding.add('size')
    else if (name.startsWith('translate') && parts.some((part) => isFar(part, 1280, 5000))) hiding.add('off_screen')
  }
  if (/\b(?:calc|var|min|max|clamp)\(/.test(get('transform'))) hiding.add('unread_style')
  const clips = /hidden|clip|scroll|auto/.test(`${get('overflow')} ${get('overflow-x')} ${get('overflow-y')}`)
  const isTiny = (name: string) => {
    const text = get(name)
    return (
      text !== '' &&
      text !== 'none' &&
      !/^(?:auto|(?:min|max|fit)-content|stretch)/.test(text) &&
      (length(text, 720) ?? 100) < 4
    )
  }
  if (clips && ['width', 'height', 'max-width', 'max-height'].some(isTiny)) hiding.add('size')
  if (get('zoom') !== '' && shareOf(get('zoom'), 1) < 0.2) hiding.add('size')
  const isSet = (...names: string[]) => names.some((name) => !['', 'none', 'auto', 'normal'].includes(get(name)))
  if (isSet('clip', 'clip-path')) hiding.add('clip')
  if (
    isSet(
      'mask',
      'mask-image',
      '-webkit-mask',
      '-webkit-mask-image',
      'animation',
      'animation-name',
      'mix-blend-mode',
      'rotate',
    )
  )
    hiding.add('unread_style')
  if (isSet('filter') && !/^opacity\([^)]*\)$/.test(get('filter'))) hiding.add('unread_style')
}

const wrap = (name: string, value: string) => (value === '' || value === 'none' ? '' : `${name}(${value})`)

const isSvgText = (element: Element) => ['text', 'tspan', 'textpath'].includes(element.localName.toLowerCase())

/** Content that a control shows only when it is opened. */
function isClosed(element: Element): boolean {
  const parent = element.parentElement
  if (element.localName === 'dialog') return !element.hasAttribute('open')
  if (element.hasAttribute('popover')) return true
  return parent?.localName === 'details' && !parent.hasAttribute('open') && element.localName !== 'summary'
}

/** The cascade: attributes of old, then rules by weight and order, then the style attribute; what is important last. */
function declared(element: Element, rules: readonly Rule[]): { found: Declarations; isUnread: boolean } {
  const inline = element.getAttribute('style') ?? ''
  const hints: Rule['declarations'] = []
  const hint = (name: string, value: string | null) =>
    value !== null && hints.push([name, value.toLowerCase().trim(), false])
  if (element.localName === 'font') hint('color', element.getAttribute('color'))
  if (element.localName === 'body') hint('color', element.getAttribute('text'))
  hint('background-color', element.getAttribute('bgcolor'))
  for (const name of ['fill', 'opacity', 'visibility', 'display', 'font-size', 'transform'])
    if (isSvgText(element)) hint(name, element.getAttribute(name))
  const sorted = [...rules.entries()].sort(([a, one], [b, other]) => one.weight - other.weight || a - b)
  const all = [...hints, ...sorted.flatMap(([, rule]) => rule.declarations), ...readInline(inline)]
  const found: Declarations = new Map()
  for (const isImportant of [false, true])
    for (const [name, value, important] of all)
      if (important === isImportant) {
        // A shorthand sets anew what was set before it.
        if (name === 'background') found.delete('background-color')
        if (name === 'font') found.delete('font-size')
        found.delete(name)
        found.set(name, value)
      }
  return { found, isUnread: inline.includes('\\') }
}

function readInline(text: string): Rule['declarations'] {
  return splitAt(text.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, ' '), ';').flatMap((part) => {
    const colon = part.indexOf(':')
    const name = part.slice(0, colon).trim().toLowerCase()
    const value = part
      .slice(colon + 1)
      .trim()
      .toLowerCase()
    if (colon < 0 || !RELEVANT.test(name)) return []
    return [
      [name, value.replace(/\s*!\s*important$/, ''), /!\s*important$/.test(value)] as Rule['declarations'][number],
    ]
  })
}

/** The value with its variables put in; null where one of them is not known. */
function substitute(value: string, custom: ReadonlyMap<string, string>): string | null {
  let text = value
  for (let n = 0; n < 8 && text.includes('var('); n += 1) {
    let isKnown = true
    text = text.replace(/var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)/, (_, name: string, other?: string) => {
      isKnown = custom.has(name) || other !== undefined
      return custom.get(name) ?? other ?? ''
    })
    if (!isKnown) return null
  }
  return text.includes('var(') ? null : text.trim()
}

const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  q: 0.945,
  rem: 16,
  vw: 12.8,
  vh: 7.2,
  vmin: 7.2,
  vmax: 12.8,
}

/** Of a page 1280 wide and 720 high; null for what is no plain length. */
function toPx(text: string, base: number, fontPx: number): number | null {
  const [, number, unit = ''] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/.exec(text) ?? []
  if (number === undefined) return null
  if (unit === '%') return (Number(number) / 100) * base
  if (['em', 'ex', 'ch', 'lh'].includes(unit))
    return Number(number) * fontPx * (unit === 'em' || unit === 'lh' ? 1 : 0.5)
  const scale = unit === '' ? 1 : UNITS[unit]
  return scale === undefined ? null : Number(number) * scale
}

const SIZES: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
  'xxx-large': 48,
}

function fontPxOf(text: string, parentPx: number): number | null {
  if (text === 'smaller' || text === 'larger') return parentPx * (text === 'smaller' ? 0.83 : 1.2)
  return SIZES[text] ?? toPx(text, parentPx, parentPx)
}

/** The size in the shorthand: the first word of it that is one. */
const fontSizeIn = (font: string): string =>
  font.split(/[\s/]+/).find((word) => /^[\d.]+(?:[a-z%]+)?$/.test(word) && !/^[1-9]00$/.test(word)) ?? ''

function shareOf(text: string, otherwise: number): number {
  const number = Number.parseFloat(text)
  if (text === '' || Number.isNaN(number)) return otherwise
  return text.trim().endsWith('%') ? number / 100 : number
}
