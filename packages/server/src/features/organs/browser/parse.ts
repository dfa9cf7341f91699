/** Markup into a DOM that runs nothing and loads nothing, by the rules of the HTML standard: which form a field belongs to
 *  and which language an element is of come from its parser, since neither can be read off the finished tree. */
import { DOMParser } from 'linkedom'
import { defaultTreeAdapter, html as names, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { StandardParser } from './standard-parser.ts'

export const MAX_DEPTH = 256
const SPEC = '<!doctype html><html></html>'
const HTML = names.NS.HTML as string
const FORM_ASSOCIATED = new Set('button fieldset img input object output select textarea'.split(' '))

export interface Parsed {
  document: Document
  /** Fields that the parser gave to a form, which need not lie around them. */
  owners: ReadonlyMap<Element, Element>
  /** The first of each id; what lies in a template has none. */
  byId: ReadonlyMap<string, Element>
}

/** An HTML element of the document: a `form` of a drawing or a formula is none, and what lies in a template is inert. */
export const isHtml = (element: Element): boolean => element.namespaceURI === HTML
export const isSvg = (element: Element): boolean => element.namespaceURI === names.NS.SVG
export const isMath = (element: Element): boolean => element.namespaceURI === names.NS.MATHML

/** Those of the document that are HTML and match, in its order. */
export const htmlElements = (document: Document, selector: string): Element[] =>
  [...document.querySelectorAll(selector)].filter(isHtml)

/** The tree of the parser, copied node by node: what is written out and read again could come out as another tree. Null
 *  where elements are nested deeper than is read. */
export function parsePage(html: string): Parsed | null {
  const { root, owners } = parseTree(html.toWellFormed())
  const document = new DOMParser().parseFromString(SPEC, 'text/html') as unknown as Document
  document.documentElement.remove()
  const made = new Map<Tree.Element, Element>()
  const open: { from: Tree.ParentNode; to: Node; depth: number; isInert: boolean }[] = [
    { from: root, to: document, depth: 0, isInert: false },
  ]
  for (const { from, to, depth, isInert } of open) {
    if (depth > MAX_DEPTH) return null
    for (const node of from.childNodes) {
      if (node.nodeName === '#text') to.appendChild(document.createTextNode((node as Tree.TextNode).value))
      else if (node.nodeName === '#comment') to.appendChild(document.createComment((node as Tree.CommentNode).data))
      else if ('attrs' in node) {
        // A template of another language is an element like any other, but this DOM would keep its content apart.
        const isForeign = node.namespaceURI !== HTML
        const element = document.createElement(isForeign && node.tagName === 'template' ? 'desc' : node.tagName)
        if (isInert || isForeign)
          Object.defineProperty(element, 'namespaceURI', { value: isInert ? null : node.namespaceURI })
        for (const { prefix, name, value } of node.attrs)
          element.setAttribute(prefix ? `${prefix}:${name}` : name, value)
        to.appendChild(element)
        made.set(node, element)
        const isTemplate = 'content' in node
        const inner = isTemplate ? node.content : node
        open.push({ from: inner, to: element, depth: depth + 1, isInert: isInert || isTemplate })
      }
    }
  }
  const pairs = [...owners].map(([field, form]) => [made.get(field), made.get(form)] as const)
  const found = pairs.filter((pair): pair is [Element, Element] => !pair.includes(undefined))
  const ids = [...document.querySelectorAll('[id]')].map((element) => [element.getAttribute('id')!, element] as const)
  return { document, owners: new Map(found), byId: new Map(ids.reverse()) }
}

/** A field belongs to the form that is open when the field is placed, until one of them is moved away from the other. */
function parseTree(html: string) {
  const owners = new Map<Tree.Element, Tree.Element>()
  const placed = new WeakSet<Tree.Node>()
  const place = (node: Tree.Node) => {
    const form = parser.formElement
    if (placed.has(node) || !('attrs' in node)) return
    placed.add(node)
    const isField = node.namespaceURI === HTML && FORM_ASSOCIATED.has(node.tagName)
    if (isField && form !== null && parser.openElements.tmplCount === 0 && rootOf(node) === rootOf(form))
      owners.set(node, form)
  }
  const parser = new StandardParser({
    treeAdapter: {
      ...defaultTreeAdapter,
      appendChild(parent, node) {
        defaultTreeAdapter.appendChild(parent, node)
        place(node)
      },
      insertBefore(parent, node, next) {
        defaultTreeAdapter.insertBefore(parent, node, next)
        place(node)
      },
      detachNode(node) {
        defaultTreeAdapter.detachNode(node)
        const moved = new Set(subtreeOf(node))
        const hasForm = moved.values().some(({ nodeName }) => nodeName === 'form')
        for (const field of hasForm ? owners.keys() : (moved as Set<Tree.Element>))
          if (owners.has(field) && moved.has(field) !== moved.has(owners.get(field)!)) owners.delete(field)
      },
    },
  })
  parser.tokenizer.write(html, true)
  return { root: parser.document, owners }
}

function rootOf(node: Tree.Node): Tree.Node {
  let root = node
  while ('parentNode' in root && root.parentNode !== null) root = root.parentNode
  return root
}

function* subtreeOf(node: Tree.Node): Generator<Tree.Node> {
  const open = [node]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    yield at
    if ('childNodes' in at) open.push(...at.childNodes)
  }
}
