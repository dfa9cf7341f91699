/** Where and how large a box is, as far as its own style says so. */
import { PLACED, SIZED, SPACED, shareOf } from './css-values.ts'
import type { Hiding } from './shapes.ts'

interface Look {
  get(name: string): string
  /** Null for what is no length. */
  px(text: string, base: number): number | null
  fontPx: number
  boxed: Set<Hiding>
  /** What around it cuts off what lies outside. */
  around: Place
  /** Of a line, in px; null for a usual one. */
  line: number | null
}

/** How much is seen of what lies in a box that cuts off the rest. */
interface Clip {
  width: number
  height: number
}

/** What an element hands on to what lies in it. */
export interface Place {
  clip: Clip | null
  /** By how much it and what it lies in were moved back, in px: all that could add up. */
  up: number
  back: number
  /** Whether it is all but without width or height: what cuts inside shows nothing. */
  isNarrow: boolean
}

export const NOWHERE: Place = { clip: null, up: 0, back: 0, isNarrow: false }

const FAR = 500
/** So far back a line may begin outside of the window, wherever it lies. */
const BACK = 100
/** What lies this far right or down is scrolled to by nobody. */
const BEYOND = 5000
const isVertical = (name: string): boolean => /top|bottom|block|before|after|height/.test(name)

export function placeOf(element: Element, look: Look): Place {
  const { get, boxed, around } = look
  const isSet = (name: string) => !['', 'none', 'auto', 'normal', 'initial', '0', 'isolate'].includes(get(name))
  const cuts =
    [get('overflow-x'), get('overflow-y')].some((value) => /hidden|clip|scroll|auto/.test(value)) ||
    /paint|strict|content/.test(get('contain')) ||
    ['svg', 'textarea'].includes(element.localName)
  const isClipped = cuts || around.clip !== null
  const far = isClipped ? FAR / 4 : FAR
  const px = (name: string): number | null => {
    const text = get(name)
    return look.px(text, isVertical(name) ? 720 : 1280)
  }
  const isFar = (value: number | null, most = BEYOND) => value !== null && (value <= -far || value >= most)
  const moves = { up: 0, back: 0 }
  const back = (name: string, value: number): void => {
    if (value < 0) moves[isVertical(name) ? 'up' : 'back'] -= value
  }

  const position = get('position')
  if (!['', 'static', 'initial'].includes(position)) {
    for (const name of PLACED) {
      const window = isVertical(name) ? 720 : 1280
      // What is fixed is not scrolled to, and what is kept from the far side leaves at the near one.
      const isFromEnd = /right|bottom|end/.test(name)
      const value = px(name) ?? 0
      if (isFar(value, position === 'fixed' ? window : isFromEnd ? window + 1 : BEYOND)) boxed.add('off_screen')
      const isShifted = position === 'relative' || position === 'sticky'
      if (isFromEnd && !isShifted && value >= window / 2) boxed.add('unread_style')
      // What hangs out at the far side can be scrolled to, unless it is fixed or cut off.
      const isReached = isFromEnd && position === 'absolute' && around.clip === null
      back(name, isFromEnd && isShifted ? -value : isReached ? 0 : value)
    }
    if (Number(get('z-index')) < 0) boxed.add('off_screen')
  }
  const clip = cuts
    ? {
        width: px('width') ?? px('max-width') ?? 640,
        height: px('height') ?? px('max-height') ?? 360,
      }
    : around.clip
  for (const name of [...PLACED, ...SPACED]) {
    const value = px(name) ?? 0
    const isOut = (within: Clip | null) =>
      within !== null && value >= (isVertical(name) ? within.height : within.width) - look.fontPx / 2
    if (value > 0 && (isOut(around.clip) || (!PLACED.includes(name) && isOut(clip)))) boxed.add('unread_style')
  }
  if (SPACED.some((name) => isFar(px(name))) || isFar(px('vertical-align'))) boxed.add('off_screen')
  for (const name of SPACED) if (/^margin-(?!bottom|block-end)/.test(name)) back(name, px(name) ?? 0)
  if (isFar(px('text-indent'), isClipped ? 200 : 1000)) boxed.add('off_screen')
  if (clip !== null && (px('text-indent') ?? 0) >= clip.width) boxed.add('unread_style')
  moved(look, isFar, back)

  const em = look.fontPx
  const [up, left] = [around.up + moves.up, around.back + moves.back]
  const isMoved = (moves.up > 0 && up >= em) || (moves.back > 0 && left >= BACK)
  if (isMoved && !boxed.has('off_screen')) boxed.add('unread_style')
  const isBelow = (name: string, least: number) => {
    const value = px(name)
    return value !== null && value < least
  }
  const isSmall = SIZED.some((name) => isBelow(name, Math.max(4, em / 2)))
  const isNarrow = isSmall || (around.isNarrow && px('width') === null && px('height') === null)
  if (cuts && isSmall) boxed.add('size')
  if (cuts && (around.isNarrow || isThin(get('aspect-ratio')))) boxed.add('unread_style')
  if (clip !== null && BORDERS.some((name) => isThick(get(name), clip, look))) boxed.add('unread_style')
  const flex = /^0 \S+ (\S+)$/.exec(get('flex'))?.[1] ?? ''
  if (cuts && (isBelow('flex-basis', 4) || /^0\w*$/.test(flex))) boxed.add('unread_style')
  const height = look.line
  // Text stands in the middle of its line.
  if (height !== null && clip !== null && height / 2 > clip.height) boxed.add('unread_style')
  if (height !== null && height < em / 3) boxed.add(isClipped ? 'size' : 'unread_style')
  if (height !== null && height > (isClipped ? 10 * Math.max(em, 10) : 720)) boxed.add('unread_style')
  if (em > 300) boxed.add('unread_style')
  if (isBelow('letter-spacing', -em / 3)) boxed.add('size')
  for (const name of ['letter-spacing', 'word-spacing'])
    if (isBelow(name, -2 * em) || (px(name) ?? 0) > 200) boxed.add('unread_style')
  if (isSet('zoom') && shareOf(get('zoom')) < 0.2) boxed.add('size')
  if (shareOf(get('zoom')) > 20) boxed.add('unread_style')
  if (isSet('font-size-adjust') || get('font-size-adjust') === '0') boxed.add('unread_style')
  if (['clip', 'clip-path'].some(isSet)) boxed.add('clip')
  if (DOUBTFUL.some(isSet)) boxed.add('unread_style')
  if (isSet('filter') && !/^opacity\([\d.]+%?\)$/.test(get('filter'))) boxed.add('unread_style')
  if (/(?<!inline-)size|strict/.test(`${get('contain')} ${get('container-type')} ${get('container')}`))
    boxed.add('unread_style')
  if (/override/.test(get('unicode-bidi'))) boxed.add('unread_style')
  // An element may be shown as an image.
  if (/\(/.test(get('content'))) boxed.add('unread_style')
  // A track may be as large as the larger of two.
  const tracks = GRIDS.map((name) => get(name).replaceAll(/minmax\([^,]*,/g, '('))
  if (tracks.some((value) => /(?:^|[\s/(,])0(?:\.0*)?(?:fr|px|%|em)?(?=$|[\s/),])/.test(value)))
    boxed.add('unread_style')
  if (
    get('transform-origin')
      .split(' ')
      .some((word) => isFar(look.px(word, 100)))
  )
    boxed.add('unread_style')
  if (shareOf(get('stroke-width')) > 4) boxed.add('unread_style')
  return { clip, up, back: left, isNarrow }
}

/** Of a box so much wider than high, or higher than wide, that no line of text fits; also one that is not known. */
function isThin(ratio: string): boolean {
  if (['', 'auto', 'initial'].includes(ratio)) return false
  const [, width, height = '1'] = /^(?:auto )?([\d.]+)(?: ?\/ ?([\d.]+))?(?: auto)?$/.exec(ratio) ?? []
  const share = Number(width) / Number(height)
  return !(share > 1 / 8 && share < 8)
}

const BORDERS = ['border', ...PLACED.map((side) => `border-${side.replace('inset-', '')}`), 'border-width']

/** Whether a border leaves nothing of the box. */
const isThick = (border: string, { width, height }: Clip, { px }: Look): boolean =>
  border.split(' ').some((word) => (px(word, 0) ?? 0) >= Math.min(width, height))

const GRIDS = [
  ...['grid', 'grid-template', 'grid-template-rows', 'grid-template-columns'],
  ...['grid-auto-rows', 'grid-auto-columns'],
]
/** What may hide, and is not worked out. */
const DOUBTFUL = [
  ...[
    'mask',
    'mask-image',
    'mask-border',
    'mask-border-source',
    'backdrop-filter',
    'animation',
    'animation-name',
    'mix-blend-mode',
    'rotate',
    'perspective',
  ],
  ...['offset', 'offset-path', 'offset-position', '-webkit-text-security', 'line-clamp', '-webkit-line-clamp'],
]

function moved(
  { get, px, boxed, around: { clip } }: Look,
  isFar: (value: number | null) => boolean,
  back: (name: string, value: number) => void,
): void {
  const wrap = (name: string) => (['', 'none', 'initial'].includes(get(name)) ? '' : `${name}(${get(name)})`)
  const all = `${get('transform')} ${wrap('translate')} ${wrap('scale')}`
  for (const [, name = '', inside = ''] of all.matchAll(/([a-z0-9]+)\(([^()]*)\)/g)) {
    const parts = inside.split(/[\s,]+/).filter((part) => part !== '')
    const least = clip === null ? Infinity : Math.min(clip.width, clip.height)
    for (const [at, part] of name.startsWith('translate') ? parts.entries() : []) {
      // A share is one of the box itself: half of it centres, all of it leaves.
      const value = px(part, 0)
      back(name.endsWith('y') || at === 1 ? 'top' : 'left', value ?? 0)
      if (isFar(value) || (part.endsWith('%') && shareOf(part) <= -1)) boxed.add('off_screen')
      if ((value ?? 0) >= least || (part.endsWith('%') && shareOf(part) >= 1)) boxed.add('unread_style')
    }
    if (!name.startsWith('scale')) continue
    if (parts.some((part) => Math.abs(shareOf(part)) < 0.1)) boxed.add('size')
    if (parts.some((part) => Math.abs(shareOf(part)) > 20)) boxed.add('unread_style')
  }
}
