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
  around: Clip | null
}

/** How much is seen of what lies in a box that cuts off the rest. */
export interface Clip {
  width: number
  height: number
}

const FAR = 500
/** What lies this far right or down is scrolled to by nobody. */
const BEYOND = 5000
const isVertical = (name: string): boolean => /top|bottom|block|before|after|height/.test(name)

/** What cuts off what lies in it. */
export function placeOf(element: Element, look: Look): Clip | null {
  const { get, boxed } = look
  const isSet = (name: string) => !['', 'none', 'auto', 'normal', 'initial', '0', 'isolate'].includes(get(name))
  const cuts =
    [get('overflow-x'), get('overflow-y')].some((value) => /hidden|clip|scroll|auto/.test(value)) ||
    /paint|strict|content/.test(get('contain')) ||
    element.localName === 'svg'
  const isClipped = cuts || look.around !== null
  const far = isClipped ? FAR / 4 : FAR
  const px = (name: string): number | null => {
    const text = get(name)
    return look.px(text, isVertical(name) ? 720 : 1280)
  }
  const isFar = (value: number | null, most = BEYOND) => value !== null && (value <= -far || value >= most)

  const position = get('position')
  if (!['', 'static', 'initial'].includes(position)) {
    for (const name of PLACED) {
      const window = isVertical(name) ? 720 : 1280
      // What is fixed is not scrolled to, and what is kept from the far side leaves at the near one.
      const isFromEnd = /right|bottom|end/.test(name)
      const value = px(name)
      if (isFar(value, position === 'fixed' ? window : isFromEnd ? window + 1 : BEYOND)) boxed.add('off_screen')
    }
    if (Number(get('z-index')) < 0) boxed.add('off_screen')
  }
  const clip = cuts
    ? {
        width: px('width') ?? px('max-width') ?? 640,
        height: px('height') ?? px('max-height') ?? 360,
      }
    : look.around
  for (const name of [...PLACED, ...SPACED]) {
    const value = px(name) ?? 0
    const isOut = (within: Clip | null) => within !== null && value >= (isVertical(name) ? within.height : within.width)
    if (value > 0 && (isOut(look.around) || (!PLACED.includes(name) && isOut(clip)))) boxed.add('unread_style')
  }
  if (SPACED.some((name) => isFar(px(name))) || isFar(px('vertical-align'))) boxed.add('off_screen')
  if (isFar(px('text-indent'), isClipped ? 200 : 1000)) boxed.add('off_screen')
  moved(look, isFar)

  const em = look.fontPx
  const isBelow = (name: string, least: number) => {
    const value = px(name)
    return value !== null && value < least
  }
  if (cuts && SIZED.some((name) => isBelow(name, Math.max(4, em / 2)))) boxed.add('size')
  const flex = /^0 \S+ (\S+)$/.exec(get('flex'))?.[1] ?? ''
  if (cuts && (isBelow('flex-basis', 4) || /^0\w*$/.test(flex))) boxed.add('unread_style')
  const line = get('line-height')
  const height = /^[\d.]+$/.test(line) ? Number(line) * em : px('line-height')
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
  return clip
}

const GRIDS = ['grid', 'grid-template', 'grid-template-rows', 'grid-template-columns']
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

function moved({ get, px, boxed, around }: Look, isFar: (value: number | null) => boolean): void {
  const wrap = (name: string) => (['', 'none', 'initial'].includes(get(name)) ? '' : `${name}(${get(name)})`)
  const all = `${get('transform')} ${wrap('translate')} ${wrap('scale')}`
  for (const [, name = '', inside = ''] of all.matchAll(/([a-z0-9]+)\(([^()]*)\)/g)) {
    const parts = inside.split(/[\s,]+/).filter((part) => part !== '')
    const least = around === null ? Infinity : Math.min(around.width, around.height)
    for (const part of name.startsWith('translate') ? parts : []) {
      // A share is one of the box itself: half of it centres, all of it leaves.
      const value = px(part, 0)
      if (isFar(value) || (part.endsWith('%') && shareOf(part) <= -1)) boxed.add('off_screen')
      if ((value ?? 0) >= least || (part.endsWith('%') && shareOf(part) >= 1)) boxed.add('unread_style')
    }
    if (!name.startsWith('scale')) continue
    if (parts.some((part) => Math.abs(shareOf(part)) < 0.1)) boxed.add('size')
    if (parts.some((part) => Math.abs(shareOf(part)) > 20)) boxed.add('unread_style')
  }
}
