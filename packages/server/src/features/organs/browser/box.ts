/** What one element is in one case: how its own style and what it lies in hide it. */
import { contrastOf, isFaint, over, parseColour } from './colour.ts'
import type { Sheets } from './css-sheet.ts'
import type { Declaration } from './css-syntax.ts'
import { expanded, fontPxOf, longhandsOf, OF_BODY, shareOf, substitute, toPx, WIDE } from './css-values.ts'
import { NOWHERE, type Place, placeOf } from './place.ts'
import type { Hiding } from './shapes.ts'

/** A rule as it meets one element, in the cases in which it applies. */
export interface Entry {
  declarations: readonly Declaration[]
  layer: readonly number[]
  weight: number
  /** Bits of a case that must be set, and that must not be. */
  needs: bigint
  forbids: bigint
}

export interface Own {
  hiding: ReadonlySet<Hiding>
  /** Of these what lies inside is hidden by as well, whatever it says of itself. */
  boxed: ReadonlySet<Hiding>
  fontPx: number
  rootPx: number
  /** Null where it could not be read. */
  colour: number[] | null
  fill: number[] | null
  ofBody: number[] | null
  ground: number[] | null
  /** What becomes of a colour drawn in here by the opacity of what it lies in: a share of it, over what is behind. */
  share: number
  behind: readonly number[]
  isInvisible: boolean
  place: Place
  /** As it is handed on: a number of font sizes, or a length. */
  line: string
  custom: ReadonlyMap<string, string>
}

const BLACK = [0, 0, 0, 1]
const WHITE = [255, 255, 255, 1]
export const ROOT: Own = {
  ...{ hiding: new Set(), boxed: new Set(), fontPx: 16, rootPx: 16, colour: BLACK, fill: BLACK, ofBody: BLACK },
  ...{ ground: WHITE, share: 1, behind: [0, 0, 0], isInvisible: false, place: NOWHERE, line: '' },
  custom: new Map(),
}

/** What an element is in every case. */
export interface Basis {
  ways: readonly Hiding[]
  hints: readonly Declaration[]
}

interface Situation extends Basis {
  parent: Own
  rules: readonly Entry[]
  inline: readonly Entry[]
  registered: ReadonlySet<string>
  isDark: boolean
}

/** Whether the page may be drawn on a dark ground. */
export const isDark = (document: Document, { rules }: Sheets): boolean =>
  document.querySelector('meta[name="color-scheme" i]') !== null ||
  [...document.querySelectorAll('[style*="color-scheme" i]')].length > 0 ||
  rules.some(({ declarations }) =>
    declarations.some(({ name, value }) => name === 'color-scheme' && /dark/i.test(value)),
  )

const INHERITED =
  /^(?:color|fill|fill-opacity|-webkit-text-fill-color|font-size|line-height|letter-spacing|word-spacing|text-indent|visibility|-webkit-text-security)$/

export function resolve(element: Element, situation: Situation): Own {
  const { parent } = situation
  const boxed = new Set(parent.boxed)
  const { found, doubts, custom } = declared(situation)
  // What browsers may take otherwise, or drop.
  if (doubts.size > 0 || found.has('all')) boxed.add('unread_style')
  const get = (name: string): string => {
    const set = found.get(name)
    if (set === undefined) return ''
    let value: string | null = set.value
    if (/var\(/i.test(value)) {
      const plain = substitute(value, custom)
      value = plain === null ? null : (expanded(set.name, plain).get(name) ?? null)
    }
    if (value === null || value === 'revert-layer') boxed.add('unread_style')
    if (value === null || !WIDE.test(value)) return value ?? ''
    if (value === 'inherit' && !INHERITED.test(name) && !name.startsWith('background')) boxed.add('unread_style')
    return value === 'initial' || (value === 'unset' && !INHERITED.test(name)) ? 'initial' : ''
  }

  const isRoot = element.parentElement === null
  const size = get('font-size')
  const fontPx =
    size === ''
      ? parent.fontPx
      : fontPxOf(size === 'initial' ? 'medium' : size, parent.fontPx, isRoot ? 16 : parent.rootPx)
  const rootPx = isRoot ? fontPx : parent.rootPx
  for (const way of situation.ways) boxed.add(way)
  const display = get('display')
  if (/^(?:none|table-column(?:-group)?)$/.test(display) || get('content-visibility') === 'hidden') boxed.add('display')
  const hidden = element.getAttribute('hidden')?.toLowerCase()
  if (hidden !== undefined && (display === '' || hidden === 'until-found')) boxed.add('display')
  const px = (text: string, base: number) => toPx(text, { base, fontPx, rootPx })
  const [line, lineHeight] = lineOf(get('line-height'), parent.line, { fontPx, px })
  const place = placeOf(element, { ...{ get, px, fontPx, boxed }, around: parent.place, line: lineHeight })

  const visibility = get('visibility')
  const isInvisible = visibility === '' ? parent.isInvisible : visibility !== 'visible' && visibility !== 'initial'
  const filter = get('filter')
  const opacity = ['opacity', 'filter'].reduce((whole, name) => {
    const share = name === 'filter' ? (/^opacity\(([\d.]+%?)\)$/.exec(filter)?.[1] ?? '') : get(name)
    return whole * (share === '' || share === 'initial' ? 1 : Math.min(1, Math.max(0, shareOf(share))))
  }, 1)

  const paint = (name: string, inherited: number[] | null): number[] | null => {
    const value = get(name)
    if (value === '' || value === 'currentcolor') return inherited
    if (value === OF_BODY) return parent.ofBody
    if (value === 'none') return [0, 0, 0, 0]
    return value === 'initial' ? BLACK : parseColour(value)
  }
  const colour = paint('-webkit-text-fill-color', paint('color', parent.colour))
  const ofBody = element.localName === 'body' ? colour : parent.ofBody
  const fillShare = get('fill-opacity')
  const filled = get('fill') === 'currentcolor' ? colour : paint('fill', parent.fill)
  const fill = filled === null || fillShare === '' ? filled : [...filled.slice(0, 3), filled[3]! * shareOf(fillShare)]
  const ground = groundOf(get, parent)
  const share = parent.share * opacity
  const behind = parent.behind.map((value, at) => value + parent.share * (1 - opacity) * (parent.ground ?? WHITE)[at]!)

  const hiding = new Set(boxed)
  if (fontPx < 4) hiding.add('size')
  if (isInvisible) hiding.add('visibility')
  if (share < 0.1) hiding.add('opacity')
  const ink = isDrawnText(element) ? fill : colour
  if (ink === null || ground === null) hiding.add('unread_style')
  else {
    const seen = [over(ink, ground), ground].map((one) =>
      one.slice(0, 3).map((value, at) => value * share + behind[at]!),
    )
    if (isFaint(ink) || contrastOf(seen[0]!, seen[1]!) < 1.3) hiding.add('colour')
    // Of a default ground and a colour that is not the default one, only one is known.
    if (situation.isDark && (ink === BLACK) !== (ground === WHITE)) hiding.add('unread_style')
  }
  return {
    hiding,
    boxed,
    fontPx,
    rootPx,
    colour,
    fill,
    ofBody,
    ground,
    share,
    behind,
    isInvisible,
    place,
    line,
    custom,
  }
}

/** As it is handed on, and in px; a number is one of font sizes wherever it comes to. */
function lineOf(
  own: string,
  inherited: string,
  { fontPx, px }: { fontPx: number; px: (text: string, base: number) => number | null },
): [string, number | null] {
  const value = own === '' ? inherited : own
  const height = /^[\d.]+$/.test(value) ? Number(value) * fontPx : px(value, fontPx)
  return [/^[\d.]+$/.test(value) || height === null ? value : `${height}px`, height]
}

const isDrawnText = (element: Element): boolean => /^(?:text|tspan|textpath)$/i.test(element.localName)

function groundOf(get: (name: string) => string, parent: Own): number[] | null {
  const image = get('background-image')
  if (!['', 'none', 'initial'].includes(image)) return null
  const value = get('background-color')
  if (value === '' || value === 'initial') return parent.ground
  const colour = value === 'currentcolor' ? null : parseColour(value)
  if (colour !== null && colour[3] === 0) return parent.ground
  if (colour !== null && colour[3] === 1) return colour
  return colour === null || parent.ground === null ? null : over(colour, parent.ground)
}

interface Declared {
  found: Map<string, { name: string; value: string }>
  /** Properties that a value may have been set of which is not known. */
  doubts: Set<string>
  custom: ReadonlyMap<string, string>
}

const readings = new WeakMap<Declaration, ReadonlyMap<string, string | null>>()

/** The cascade: attributes of old, then rules by layer, weight and order, then the style attribute; what is important last. */
function declared({ hints, parent, rules, inline, registered }: Situation): Declared {
  const found: Declared['found'] = new Map()
  const doubts = new Set<string>()
  const own = new Map<string, string>()
  const apply = (declaration: Declaration): void => {
    const { name, value } = declaration
    if (name.startsWith('--')) own.set(name, value)
    else if (/var\(/i.test(value))
      for (const longhand of longhandsOf(name)) {
        doubts.delete(longhand)
        found.set(longhand, { name, value })
      }
    else {
      const known = readings.get(declaration) ?? expanded(name, value)
      readings.set(declaration, known)
      for (const [longhand, one] of known)
        if (one === null) doubts.add(longhand)
        else {
          doubts.delete(longhand)
          found.set(longhand, { name: longhand, value: one })
        }
    }
  }
  const important = [...rules].sort((a, b) => byLayer(b, a) || a.weight - b.weight)
  for (const declaration of hints) apply(declaration)
  for (const [entries, isImportant] of [
    [rules, false],
    [inline, false],
    [important, true],
    [inline, true],
  ] as const)
    for (const { declarations } of entries)
      for (const declaration of declarations) if (declaration.isImportant === isImportant) apply(declaration)
  if (own.size === 0) return { found, doubts, custom: parent.custom }
  const custom = new Map(parent.custom)
  for (const [name, value] of own)
    if (value === 'initial' || registered.has(name)) custom.delete(name)
    else if (!WIDE.test(value)) custom.set(name, value)
  return { found, doubts, custom }
}

/** What lies in no layer comes after every layer. */
export function byLayer({ layer: a }: Entry, { layer: b }: Entry): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 1e9) - (b[at] ?? 1e9)
    if (difference !== 0) return difference
  }
  return 0
}
