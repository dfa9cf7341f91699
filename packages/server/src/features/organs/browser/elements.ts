/** What elements and their attributes hide by themselves, and how browsers draw them where no style says otherwise. */

import type { Declaration } from './css-syntax.ts'
import { isRelevant } from './css-values.ts'
import { kindOf } from './fields.ts'
import type { Hiding } from './shapes.ts'

/** What a browser never draws the content of. */
const NOT_RENDERED = new Set(
  'head title script style template noscript noembed noframes iframe object video audio canvas datalist progress meter rp desc metadata defs symbol clippath mask pattern marker filter lineargradient radialgradient annotation annotation-xml mphantom param area'.split(
    ' ',
  ),
)
/** What shows only a part of its content, or moves it. */
const PARTLY = new Set(['marquee', 'maction', 'semantics', 'switch', 'textpath'])

const nameOf = (element: Element | null): string => element?.localName.toLowerCase() ?? ''
const isShadow = (element: Element): boolean =>
  nameOf(element) === 'template' && /^(?:open|closed)$/i.test(element.getAttribute('shadowrootmode') ?? '')

/** What is asked of every child is found once: children do not change. */
const families = new WeakMap<Element, { isHost: boolean; summary: Element | undefined }>()
function familyOf(element: Element): { isHost: boolean; summary: Element | undefined } {
  const known = families.get(element)
  if (known !== undefined) return known
  const children = [...element.children]
  const made = { isHost: children.some(isShadow), summary: children.find((child) => nameOf(child) === 'summary') }
  families.set(element, made)
  return made
}
const isFar = (value: string | null): boolean => value !== null && !(Math.abs(Number.parseFloat(value)) <= 2000)

/** Ways in which an element hides itself with all that is in it. */
export function ownWays(element: Element): Hiding[] {
  const [name, parent] = [nameOf(element), element.parentElement]
  const ways: Hiding[] = []
  if (isShadow(element)) ways.push('unread_style')
  else if (NOT_RENDERED.has(name) || isClosed(element) || kindOf(element) === 'hidden') ways.push('not_rendered')
  if (PARTLY.has(name) || (parent !== null && familyOf(parent).isHost)) ways.push('unread_style')
  // A list that is not opened shows what is chosen.
  if (name === 'option') ways.push('unread_style')
  // Of several with one name the browser opens one.
  if (name === 'details' && element.hasAttribute('name')) ways.push('unread_style')
  if (name === 'bdo') ways.push('unread_style')
  if (element.getAttribute('aria-hidden')?.toLowerCase() === 'true' || element.hasAttribute('inert'))
    ways.push('aria_hidden')
  if (name === 'svg') {
    if (['width', 'height'].some((side) => /^0+(?:\.0*)?(?:px|%)?$/.test(element.getAttribute(side) ?? '')))
      ways.push('size')
    if (/\d{4}/.test(element.getAttribute('viewBox') ?? element.getAttribute('viewbox') ?? ''))
      ways.push('unread_style')
    if (element.querySelector('animate, set, animateTransform, animateMotion, animatetransform, animatemotion'))
      ways.push('unread_style')
  }
  if (
    name === 'foreignobject' &&
    (['width', 'height'].some((side) => !(Number.parseFloat(element.getAttribute(side) ?? '') >= 4)) ||
      isOutside(element))
  )
    ways.push('unread_style')
  if ((name === 'td' || name === 'th') && hasCollapsedColumn(element)) ways.push('unread_style')
  if (name === 'text' || name === 'tspan') {
    if (['x', 'y', 'dx', 'dy'].some((side) => isFar(element.getAttribute(side)))) ways.push('off_screen')
    if (element.hasAttribute('textLength') || element.hasAttribute('textlength')) ways.push('unread_style')
    if (isOutside(element)) ways.push('unread_style')
  }
  return ways
}

/** Columns that are folded away take their cells along, which do not lie in them. */
function hasCollapsedColumn(cell: Element): boolean {
  const columns = [...(cell.closest('table')?.querySelectorAll('col, colgroup') ?? [])]
  const styles = () => [...cell.ownerDocument.querySelectorAll('style')].map(({ textContent }) => textContent)
  return (
    columns.length > 0 &&
    [...columns.map((column) => column.getAttribute('style')), ...styles()].some((text) =>
      /visibility\s*:\s*(?:collapse|hidden|var)/i.test(text ?? ''),
    )
  )
}

/** Beyond the edges of its drawing, as far as numbers say so. */
function isOutside(text: Element): boolean {
  const drawing = text.closest('svg')
  const box =
    drawing
      ?.getAttribute('viewBox')
      ?.split(/[\s,]+/)
      .map(Number) ?? []
  const edge = (at: number, side: string, most: number) =>
    box[at] ?? (Number.parseFloat(drawing?.getAttribute(side) ?? '') || most)
  const [x, y] = ['x', 'y'].map((side) => Number.parseFloat(text.getAttribute(side) ?? '0')) as [number, number]
  const [width, height] = [edge(2, 'width', 300), edge(3, 'height', 150)]
  const [dx, dy] = ['dx', 'dy'].map((side) => Math.abs(Number.parseFloat(text.getAttribute(side) ?? '0'))) as [
    number,
    number,
  ]
  if (x >= width + (box[0] ?? 0) || y > height + (box[1] ?? 0) || dx >= width || dy >= height) return true
  if (nameOf(text) !== 'text') return false
  // What ends at the left edge has left it.
  const anchor = text.closest('[text-anchor]')?.getAttribute('text-anchor') ?? text.getAttribute('style') ?? ''
  if (/end/.test(anchor) && x < (box[0] ?? 0) + width / 4) return true
  const isMoved = text.hasAttribute('dy') || /\S/.test(text.getAttribute('dominant-baseline') ?? '')
  return !(y > 0 || isMoved)
}

/** Content that a control shows only when it is opened. */
function isClosed(element: Element): boolean {
  const parent = element.parentElement
  if (nameOf(element) === 'dialog') return !element.hasAttribute('open')
  if (element.hasAttribute('popover')) return true
  return isClosedDetails(parent) && element !== familyOf(parent!).summary
}

const isClosedDetails = (element: Element | null): boolean =>
  nameOf(element) === 'details' && !element!.hasAttribute('open')

/** Ways in which the text that lies directly in an element is hidden, though the element is not. */
export function textWays(element: Element): Hiding[] {
  if (isClosedDetails(element)) return ['not_rendered']
  if (familyOf(element).isHost) return ['unread_style']
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (/^(?:text|foreignobject)$/.test(nameOf(at))) return []
    // A drawing draws no text but that of its text elements.
    if (nameOf(at) === 'svg') return ['not_rendered']
  }
  return []
}

const CONTROL: readonly (readonly [string, string])[] = [
  ...([
    ['color', '#000'],
    ['background-color', '#efefef'],
    ['font-size', '13.3333px'],
  ] as const),
  ...([
    ['letter-spacing', 'normal'],
    ['word-spacing', 'normal'],
    ['line-height', 'normal'],
    ['text-indent', '0'],
  ] as const),
]
const BLOCK = [['margin-top', '1em']] as const
const DEFAULTS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  ...{ p: BLOCK, ul: BLOCK, ol: BLOCK, dl: BLOCK, pre: BLOCK, blockquote: BLOCK, h3: BLOCK, h4: BLOCK },
  ...{ button: CONTROL, input: CONTROL, select: CONTROL, textarea: CONTROL },
  ...{ small: [['font-size', 'smaller']], sub: [['font-size', 'smaller']], sup: [['font-size', 'smaller']] },
  rt: [['font-size', '50%']],
  mark: [
    ['color', '#000'],
    ['background-color', '#ff0'],
  ],
}

/** Attributes of a formula that stand for a property. */
const OF_FORMULA = {
  ...{ color: 'mathcolor', 'background-color': 'mathbackground', 'font-size': 'mathsize' },
  ...{ width: 'width', height: 'height' },
}

/** As if a style sheet before all others said so. */
export function hintsOf(element: Element): Declaration[] {
  const name = nameOf(element)
  const hints: Declaration[] = []
  const hint = (property: string, value: string | null) =>
    value !== null && hints.push({ name: property, value: value.trim(), isImportant: false })
  for (const [property, value] of DEFAULTS[name] ?? []) hint(property, value)
  if (name === 'a' && element.hasAttribute('href'))
    hint('color', element.closest('body')?.getAttribute('link') ?? '#00e')
  if (name === 'font') hint('color', element.getAttribute('color'))
  if (name === 'body') hint('color', element.getAttribute('text'))
  hint('background-color', element.getAttribute('bgcolor'))
  if (element.hasAttribute('background')) hint('background-image', 'url()')
  if (element.closest('math') !== null)
    for (const [property, attribute] of Object.entries(OF_FORMULA)) hint(property, element.getAttribute(attribute))
  // In a drawing every property may stand as an attribute.
  if (element.closest('svg') !== null)
    for (const { name: property, value } of element.attributes)
      if (isRelevant(property) && !/^(?:width|height|content|offset)$/.test(property)) hint(property, value)
  return hints
}
