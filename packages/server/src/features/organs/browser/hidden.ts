/** Text that a page holds and does not show, and the text that it shows. */
import { chosenOptions, isDropDown, isSecretField, kindOf, optionLabel } from './fields.ts'
import type { Page } from './page.ts'
import { type Hiding, WAYS } from './shapes.ts'

export interface HiddenText {
  ways: (typeof WAYS)[number][]
  /** The nearest element with a ref. */
  ref: string | null
  /** As the page parts it: one for each node, with GAP where something stands between two. */
  parts: string[]
}

const MAX_TEXT = 7900
const MAX_PARTS = 3000
const GAP = '\n'

/** What parts may be meant as: one word, words as the page spaces them, a word each. */
export const READINGS: readonly ((parts: readonly string[]) => string)[] = [
  (parts) => parts.filter((part) => part !== GAP).join(''),
  (parts) => parts.join('').replaceAll(GAP, ' '),
  (parts) => parts.join(' ').replaceAll(GAP, ' '),
]
const [ELEMENT, TEXT, COMMENT] = [1, 3, 8]
/** Code is not talked with; what is carried in a script as data may be. */
const CODE = /^(?:|module|importmap|speculationrules|(?:text|application)\/(?:java|ecma|x-java)script)$/i
const REMARK = /\/\*[^*]*(?:\*(?!\/)[^*]*)*|(?<![:"'])\/\/[^\n]*/g
/** Attributes that say something to nobody who looks at the page. */
const MUTE =
  /^(?:class|id|style|href|src|srcset|d|points|viewbox|xmlns.*|on.*|action|formaction|name|type|for|rel|integrity|pattern)$/i
const UNSEEN = /\p{Cf}|\p{Variation_Selector}{2}/u
const INLINE = new Set(
  'a abbr b bdi bdo cite code em font i kbd label mark q s small span strong sub sup tt u var'.split(' '),
)

/** In the order of the document; the text of one hidden box is one text, however it is parted inside. */
export function hiddenTexts(page: Page): HiddenText[] {
  const { document, styles } = page
  const boxes = new Map<Element, HiddenText>()
  const found: HiddenText[] = []
  let last: HiddenText | null = null
  const part = (blank: string): void => {
    if (last !== null && last.parts.at(-1) !== blank && last.parts.length < MAX_PARTS) last.parts.push(blank)
  }
  const add = (ways: HiddenText['ways'], at: Element | null, text: string): void => {
    const plain = text.replaceAll(/\s+/g, ' ').trim()
    for (const slice of slices(plain)) found.push({ ways, ref: nearestRef(at, page), parts: [slice] })
  }
  for (const text of styles.generated) add(['generated'], null, text)
  for (const node of nodesOf(document)) {
    if (node.nodeType === COMMENT) add(['comment'], node.parentElement, node.textContent!)
    if (node.nodeType === ELEMENT)
      for (const { name, value } of (node as Element).attributes)
        if (!MUTE.test(name) && /\S\s+\S/.test(value))
          add(['attribute'], node as Element, value.replaceAll(/<[^>]*>/g, ' '))
    const parent = node.parentElement
    if (node.nodeName.toLowerCase() === 'br') part(GAP)
    if (node.nodeType !== TEXT || parent === null) continue
    if (node.textContent!.trim() === '') {
      // A blank may stand in an element of its own.
      part(parent.childNodes.length === 1 && styles.textHiddenBy(parent).length > 0 ? ' ' : GAP)
      continue
    }
    const isCode = parent.localName === 'script' && CODE.test(parent.getAttribute('type') ?? '')
    if (isCode || parent.localName === 'style') {
      // Code talks to nobody; what is remarked in it may.
      for (const [remark] of node.textContent!.matchAll(REMARK)) add(['comment'], parent, remark.slice(2))
      continue
    }
    const ways = styles.textHiddenBy(parent)
    if (ways.length === 0) {
      part(GAP)
      if (UNSEEN.test(node.textContent!)) add(['invisible_characters'], parent, node.textContent!)
      continue
    }
    const box = outermost(parent, page)
    for (const slice of slices(node.textContent!.replaceAll(/\s+/g, ' '))) {
      const known = boxes.get(box)
      const isFull =
        known === undefined || known.parts.length >= MAX_PARTS || known.parts.join('').length + slice.length > MAX_TEXT
      const text: HiddenText = isFull ? { ways, ref: nearestRef(box, page), parts: [] } : known
      if (isFull) found.push(text)
      boxes.set(box, text)
      text.ways = WAYS.filter((way) => text.ways.includes(way) || ways.includes(way as Hiding))
      text.parts.push(slice)
      last = text
    }
  }
  return found
}

/** No longer than is screened at once. */
const slices = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / MAX_TEXT) }, (_, at) => text.slice(at * MAX_TEXT, (at + 1) * MAX_TEXT))

/** Every node, in the order of the document. */
function* nodesOf(document: Document): Generator<Node> {
  const open: Node[] = [document]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    open.push(...[...node.childNodes].reverse())
  }
}

function outermost(element: Element, { styles }: Page): Element {
  let box = element
  for (let at = element.parentElement; at !== null && styles.hiddenBy(at).length > 0; at = at.parentElement) box = at
  return box
}

function nearestRef(element: Element | null, { refOf }: Page): string | null {
  for (let at = element; at !== null; at = at.parentElement) if (refOf.has(at)) return refOf.get(at)!
  return null
}

/** As it would be read off the screen; blocks stand apart. What a field of secrets holds is not read out by what lies around
 *  it, and a drop-down shows the option that is chosen. */
export function visibleText(root: Element, { styles }: Page): string {
  const parts: string[] = []
  const visit = (element: Element): void => {
    const gap = INLINE.has(element.localName) ? '' : ' '
    parts.push(gap)
    if (isSecretField(element)) return
    if (kindOf(element) === 'select' && isDropDown(element)) {
      if (styles.isVisible(element)) parts.push(...chosenOptions(element).map(optionLabel), gap)
      return
    }
    for (const node of element.childNodes)
      if (node.nodeType === TEXT) {
        if (styles.isTextVisible(element)) parts.push(node.textContent!)
      } else if (node.nodeType === ELEMENT) visit(node as Element)
    parts.push(gap)
  }
  visit(root)
  return parts.join('').replaceAll(/\s+/g, ' ').trim()
}
