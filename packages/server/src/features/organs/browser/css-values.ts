/** Values of the properties that hide. A value counts only where browsers take it beyond doubt: what is not known here may
 *  be dropped by a browser or may hide, and is said to be unread. */
import { parseColour } from './colour.ts'
import { splitAt, UNSURE } from './css-syntax.ts'

const SIDES = ['top', 'right', 'bottom', 'left'] as const
const fourOf = (prefix: string): string[] => SIDES.map((side) => `${prefix}${side}`)
/** Sides by the direction of the text: they are looked at beside the others, and never undo them. */
const LOGICAL_SIDES = ['inline', 'block'].flatMap((axis) => [`${axis}-start`, `${axis}-end`])
const AXES = ['inset', 'margin', 'padding'].flatMap((name) => ['inline', 'block'].map((axis) => `${name}-${axis}`))
export const PLACED = [...SIDES, ...LOGICAL_SIDES.map((end) => `inset-${end}`)]
export const SPACED = ['margin', 'padding'].flatMap((name) => [
  ...[...SIDES, ...LOGICAL_SIDES].map((side) => `${name}-${side}`),
  ...['start', 'end', 'before', 'after'].map((side) => `-webkit-${name}-${side}`),
])
export const SIZED = [
  ...['width', 'height', 'inline-size', 'block-size'].flatMap((name) => [name, `max-${name}`]),
  ...['logical-width', 'logical-height'].flatMap((name) => [`-webkit-${name}`, `-webkit-max-${name}`]),
]
const SHORTHANDS: Readonly<Record<string, readonly string[]>> = {
  font: ['font-size', 'line-height'],
  background: ['background-color', 'background-image'],
  overflow: ['overflow-x', 'overflow-y'],
  margin: fourOf('margin-'),
  padding: fourOf('padding-'),
  inset: fourOf(''),
  ...Object.fromEntries(AXES.map((axis) => [axis, [`${axis}-start`, `${axis}-end`]])),
}

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?`
const SHARE = `${NUMBER}%?`
const UNIT = 'px|pt|pc|in|cm|mm|q|em|rem|ex|ch|lh|[sdl]?v(?:w|h|min|max)|%'
const PLAIN_LENGTH = `(?:[+-]?0+(?:\\.0+)?|${NUMBER}(?:${UNIT}))`
const ANGLE = `(?:0|${NUMBER}(?:deg|turn|rad|grad))`
const list = (one: string, most: number) => `\\s*${one}\\s*(?:,\\s*${one}\\s*){0,${most - 1}}`
const MOVES = [
  ...[`translate\\(${list(PLAIN_LENGTH, 2)}\\)`, `translate[xyz]\\(\\s*${PLAIN_LENGTH}\\s*\\)`],
  ...[`translate3d\\(${list(PLAIN_LENGTH, 3)}\\)`, `scale\\(${list(SHARE, 2)}\\)`, `scale[xyz]\\(\\s*${SHARE}\\s*\\)`],
  ...[`scale3d\\(${list(SHARE, 3)}\\)`, `rotatez?\\(\\s*${ANGLE}\\s*\\)`],
].join('|')
const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`)

const LENGTH = whole(PLAIN_LENGTH)
const MATHS = /^(?:calc|min|max|clamp)\(/
const SIZES_TO = 'auto|none|(?:min|max|fit)-content'
const OVERFLOW = /^(?:visible|hidden|clip|scroll|auto)$/
const NO_SIGN = new Set([...SIZED, 'font-size', 'line-height'])
/** What a property may be besides a length, where it takes one. */
const LENGTHS: Readonly<Record<string, RegExp>> = {
  'font-size': /^(?:(?:xx?-)?small|medium|(?:x{1,3}-)?large|smaller|larger)$/,
  'line-height': whole(`normal|${NUMBER}`),
  'letter-spacing': /^normal$/,
  'word-spacing': /^normal$/,
  'text-indent': /^(?!)/,
  'vertical-align': /^(?:baseline|sub|super|(?:text-)?top|(?:text-)?bottom|middle)$/,
  ...Object.fromEntries(SIZED.map((name) => [name, whole(SIZES_TO)])),
  ...Object.fromEntries([...PLACED, ...SPACED, 'flex-basis'].map((name) => [name, whole('auto')])),
}
/** What is written in full; a value of what is in JUDGED is judged by whoever reads it, and then for the worst. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  display:
    /^(?:none|block|inline|(?:inline-)?(?:block|flex|grid|table)|table-(?:row|cell|caption|column|(?:row|header|footer|column)-group)|list-item|flow-root|contents)$/,
  visibility: /^(?:visible|hidden|collapse)$/,
  opacity: whole(SHARE),
  'fill-opacity': whole(SHARE),
  zoom: whole(SHARE),
  'overflow-x': OVERFLOW,
  'overflow-y': OVERFLOW,
  position: /^(?:static|relative|absolute|fixed|sticky)$/,
  'z-index': /^(?:auto|[+-]?\d+)$/,
  transform: whole(`none|(?:\\s*(?:${MOVES}))+`),
  translate: whole(`none|${PLAIN_LENGTH}(?:\\s+${PLAIN_LENGTH}){0,2}`),
  scale: whole(`none|${SHARE}(?:\\s+${SHARE}){0,2}`),
  'content-visibility': /^(?:visible|auto|hidden)$/,
  'font-size-adjust': whole(`none|${NUMBER}`),
}
const JUDGED = new Set(
  'clip clip-path mask mask-image mask-border mask-border-source mask-box-image mask-box-image-source backdrop-filter border-shape animation animation-name mix-blend-mode rotate filter perspective offset offset-path offset-position contain container container-type line-clamp -webkit-line-clamp -webkit-text-security unicode-bidi transform-origin grid grid-template grid-template-rows grid-template-columns flex all content background-image color-scheme grid-auto-rows grid-auto-columns aspect-ratio stroke-width border border-width border-top border-right border-bottom border-left border-inline-start border-inline-end border-block-start border-block-end'.split(
    ' ',
  ),
)
const COLOURS = new Set(['color', 'background-color', 'fill', '-webkit-text-fill-color'])
/** The same for every element that does not say otherwise. */
export const WIDE = /^(?:initial|inherit|unset|revert|revert-layer)$/

export const isRelevant = (name: string): boolean =>
  name.startsWith('--') ||
  [SHORTHANDS, LENGTHS, KNOWN].some((table) => Object.hasOwn(table, name)) ||
  JUDGED.has(name) ||
  COLOURS.has(name)

/** The colour of the body, which a table takes in a page of old. */
export const OF_BODY = '-of-body'

export const longhandsOf = (name: string): readonly string[] => SHORTHANDS[name] ?? [name]

/** The longhands that a declaration sets; null for a value that is not known. */
export function expanded(name: string, written: string): ReadonlyMap<string, string | null> {
  const value = written.toLowerCase().replaceAll(/\s+/g, ' ').trim()
  const longhands = longhandsOf(name)
  if (WIDE.test(value)) return new Map(longhands.map((longhand) => [longhand, value]))
  const parts = partsOf(name, value)
  return new Map(
    longhands.map((longhand, at) => {
      const part = parts?.[at]
      return [longhand, part === undefined || !isKnown(longhand, part) ? null : part]
    }),
  )
}

function partsOf(name: string, value: string): (string | undefined)[] | null {
  const words = splitAt(value, ' ')
  if (name === 'font') {
    const [, size, height = 'normal'] =
      /^(?:(?:normal|italic|oblique|small-caps|bold|bolder|lighter|[1-9]00) )*([^\s/,]+)(?: ?\/ ?([^\s/,]+))? (?!\d)[\w"' ,-]+$/.exec(
        value,
      ) ?? []
    return size === undefined ? null : [size, height]
  }
  // Anything but a colour alone may be an image.
  if (name === 'background') return value === 'none' ? ['transparent', 'none'] : [value, 'none']
  if (name === 'overflow') return words.length > 2 ? null : [words[0], words[1] ?? words[0]]
  if (!(name in SHORTHANDS)) return [value]
  const longhands = longhandsOf(name)
  if (words.length > longhands.length || words.some((word) => !isKnown(longhands[0]!, word))) return null
  const [top, right = top, bottom = top, left = right] = words
  return [top, right, bottom, left]
}

function isKnown(name: string, value: string): boolean {
  if (name.startsWith('--')) return true
  if (value.startsWith(UNSURE)) return false
  if (JUDGED.has(name)) return value !== ''
  if (COLOURS.has(name))
    return (
      value === 'currentcolor' ||
      value === OF_BODY ||
      (name === 'fill' && value === 'none') ||
      parseColour(value) !== null
    )
  const more = LENGTHS[name]
  if (more === undefined) return KNOWN[name]?.test(value) ?? false
  if (more.test(value)) return !(NO_SIGN.has(name) && value.startsWith('-'))
  return LENGTH.test(value)
    ? !(NO_SIGN.has(name) && value.startsWith('-'))
    : MATHS.test(value) && toPx(value, UNITY) !== null
}

/** What lengths are told in. */
interface Measure {
  base: number
  fontPx: number
  rootPx: number
}
const UNITY: Measure = { base: 1, fontPx: 1, rootPx: 1 }

const MAX_MATHS = 200
const UNITS: Readonly<Record<string, number>> = {
  ...{ px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 37.8, mm: 3.78, q: 0.945 },
  ...{ vw: 12.8, vh: 7.2, vmin: 7.2, vmax: 12.8 },
}

/** Of a page 1280 wide and 720 high; null for what is no length. */
export function toPx(text: string, measure: Measure): number | null {
  if (!MATHS.test(text)) return plainPx(text, measure)
  if (text.length > MAX_MATHS) return null
  const tokens = text.match(/(?:calc|min|max|clamp)?\(|[),*/]| [+-] |[+-]?[\d.]+(?:e[+-]?\d+)?[a-z%]*|\S/g) ?? []
  const made = sum(tokens, measure)
  return made !== null && tokens.length === 0 && !made.isNumber ? made.px : null
}

function plainPx(text: string, { base, fontPx, rootPx }: Measure): number | null {
  if (!LENGTH.test(text)) return null
  const [, number, unit = ''] = /^(.*?\d)([a-z%]*)$/.exec(text)!
  if (unit === '%') return (Number(number) / 100) * base
  if (unit === 'rem') return Number(number) * rootPx
  const own = { em: 1, lh: 1.2, ex: 0.5, ch: 0.5 }[unit]
  return Number(number) * (own === undefined ? (UNITS[unit.replace(/^[sdl](?=v)/, '')] ?? 1) : own * fontPx)
}

interface Term {
  px: number
  isNumber: boolean
}

function sum(tokens: string[], measure: Measure): Term | null {
  let left = product(tokens, measure)
  while (left !== null && (tokens[0] === ' + ' || tokens[0] === ' - ')) {
    const sign = tokens.shift() === ' + ' ? 1 : -1
    const right = product(tokens, measure)
    left = right === null || right.isNumber !== left.isNumber ? null : { ...left, px: left.px + sign * right.px }
  }
  return left
}

function product(tokens: string[], measure: Measure): Term | null {
  let left = factor(tokens, measure)
  while (left !== null && (tokens[0] === '*' || tokens[0] === '/')) {
    const isTimes = tokens.shift() === '*'
    const right = factor(tokens, measure)
    if (right === null || !(right.isNumber || (isTimes && left.isNumber))) return null
    left = { px: isTimes ? left.px * right.px : left.px / right.px, isNumber: left.isNumber && right.isNumber }
  }
  return left
}

function factor(tokens: string[], measure: Measure): Term | null {
  const token = tokens.shift() ?? ''
  if (!token.endsWith('(')) {
    if (whole(NUMBER).test(token)) return { px: Number(token), isNumber: true }
    const px = plainPx(token, measure)
    return px === null ? null : { px, isNumber: false }
  }
  const terms: (Term | null)[] = []
  do terms.push(sum(tokens, measure))
  while (tokens[0] === ',' && tokens.shift())
  const known = terms.filter((term) => term !== null)
  const isSame = new Set(known.map(({ isNumber }) => isNumber)).size === 1
  if (tokens.shift() !== ')' || known.length < terms.length || !isSame) return null
  const values = known.map(({ px }) => px)
  const [low = 0, middle = 0, high = 0] = values
  const isRight = token === 'clamp(' ? values.length === 3 : /^m/.test(token) || values.length === 1
  if (!isRight) return null
  const px =
    token === 'min('
      ? Math.min(...values)
      : token === 'max('
        ? Math.max(...values)
        : token === 'clamp('
          ? Math.max(low, Math.min(middle, high))
          : low
  return { px, isNumber: known[0]!.isNumber }
}

const SIZES: Readonly<Record<string, number>> = {
  ...{ 'xx-small': 9, 'x-small': 10, small: 13, medium: 16 },
  ...{ large: 18, 'x-large': 24, 'xx-large': 32, 'xxx-large': 48 },
}

export function fontPxOf(text: string, parentPx: number, rootPx: number): number {
  if (text === 'smaller' || text === 'larger') return parentPx * (text === 'smaller' ? 0.83 : 1.2)
  return SIZES[text] ?? toPx(text, { base: parentPx, fontPx: parentPx, rootPx }) ?? parentPx
}

/** A number or a percentage. */
export const shareOf = (text: string): number => Number.parseFloat(text) / (text.endsWith('%') ? 100 : 1)

/** The value with its variables put in; null where one of them is not known. */
export function substitute(value: string, custom: ReadonlyMap<string, string>): string | null {
  let text = value
  for (let n = 0; n < 8 && /var\(/i.test(text) && text.length < 4096; n += 1) {
    let isKnown = true
    text = text.replace(/var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)/i, (_, name: string, other?: string) => {
      isKnown = custom.has(name) || other !== undefined
      return custom.get(name) ?? other ?? ''
    })
    if (!isKnown) return null
  }
  return /var\(/i.test(text) ? null : text.trim()
}
