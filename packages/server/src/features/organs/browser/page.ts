/** A page as a browser would have it after parsing and before any script: HTML by the rules of the standard, over a DOM that
 *  runs nothing and loads nothing. */
import { computeAccessibleName, getRole } from 'dom-accessibility-api'
import { DOMParser } from 'linkedom'
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { type Styles, stylesOf } from './styles.ts'

export const MAX_DEPTH = 256
const SPEC = '<!doctype html><html></html>'

export interface Page {
  document: Document
  styles: Styles
  /** Elements that have a role, by their refs, in the order of the document. */
  byRef: Map<string, Element>
  refOf: Map<Element, string>
  /** Names that were computed since the page last changed. */
  names: Map<Element, string>
}

/** Null where elements are nested deeper than is read. */
export function openPage(html: string): Page | null {
  const document = buildDocument(html)
  if (document === null) return null
  const styles = stylesOf(document)
  linkLabels(document)
  const withRole = [...document.querySelectorAll('*')].filter((element) => roleOf(element) !== null)
  const byRef = new Map(withRole.map((element, at) => [`e${at + 1}`, element]))
  const refOf = new Map([...byRef].map(([ref, element]) => [element, ref]))
  return { document, styles, byRef, refOf, names: new Map() }
}

/** What an action changed may show, hide and name other elements. */
export function readAgain(page: Page): void {
  page.styles = stylesOf(page.document)
  page.names.clear()
}

const LABELABLE = 'input, select, textarea, button, meter, output, progress'

/** The labels of each control, found once: without them every name that is asked for looks through all labels. */
function linkLabels(document: Document): void {
  const labels = new Map<Element, Element[]>()
  for (const label of document.querySelectorAll('label')) {
    const id = label.getAttribute('for')
    const control = id === null ? label.querySelector(LABELABLE) : document.getElementById(id)
    if (control !== null) labels.set(control, [...(labels.get(control) ?? []), label])
  }
  for (const control of document.querySelectorAll(LABELABLE))
    Object.defineProperty(control, 'labels', { value: labels.get(control) ?? [] })
}

/** The tree of the parser, copied node by node: what is written out and read again could come out as another tree. */
function buildDocument(html: string): Document | null {
  const document = new DOMParser().parseFromString(SPEC, 'text/html') as unknown as Document
  document.documentElement.remove()
  const open: { from: Tree.ParentNode; to: Node; depth: number }[] = [
    { from: parse(html.toWellFormed()), to: document, depth: 0 },
  ]
  for (const { from, to, depth } of open) {
    if (depth > MAX_DEPTH) return null
    for (const node of from.childNodes) {
      if (node.nodeName === '#text') to.appendChild(document.createTextNode((node as Tree.TextNode).value))
      else if (node.nodeName === '#comment') to.appendChild(document.createComment((node as Tree.CommentNode).data))
      else if ('attrs' in node) {
        const element = document.createElement(node.tagName)
        for (const { prefix, name, value } of node.attrs)
          element.setAttribute(prefix ? `${prefix}:${name}` : name, value)
        to.appendChild(element)
        open.push({ from: 'content' in node ? node.content : node, to: element, depth: depth + 1 })
      }
    }
  }
  return document
}

/** Fields without a role of their own are text boxes to whoever types into them. */
export function roleOf(element: Element): string | null {
  const role = getRole(element)
  if (role === 'presentation' || role === 'none' || role === 'generic' || role === 'document') return null
  if (role !== null) return role
  const name = element.localName
  if (name === 'input') return element.getAttribute('type') === 'hidden' ? null : 'textbox'
  return name === 'label' || name === 'summary' ? name : null
}

export function nameOf(element: Element, { styles, names }: Page): string {
  const known = names.get(element)
  if (known !== undefined) return known
  const name = computeAccessibleName(element, { getComputedStyle: styles.computed as never })
  const short = name.trim().slice(0, 256).toWellFormed()
  names.set(element, short)
  return short
}

interface SnapshotNode {
  ref: string
  role: string
  name: string
  level: number
  value?: string
  checked?: boolean
  disabled?: true
  href?: string
}

/** What somebody with a screen reader meets, in the order of the document. */
export function snapshotOf(page: Page, max: number): { snapshot: SnapshotNode[]; total: number } {
  const shown = [...page.byRef].filter(([, element]) => page.styles.isVisible(element))
  const snapshot = shown.slice(0, max).map(([ref, element]): SnapshotNode => {
    const [type, href] = [element.getAttribute('type'), element.getAttribute('href')]
    const value = fieldValue(element)
    return {
      ref,
      role: roleOf(element)!,
      name: nameOf(element, page),
      level: levelOf(element, page),
      // What a password field holds is not shown.
      ...(value === null || isSecretField(element) ? {} : { value: value.slice(0, 256) }),
      ...(type === 'checkbox' || type === 'radio' ? { checked: element.hasAttribute('checked') } : {}),
      ...(isDisabled(element) ? { disabled: true as const } : {}),
      ...(href === null ? {} : { href: href.slice(0, 512) }),
    }
  })
  return { snapshot, total: shown.length }
}

function levelOf(element: Element, { refOf }: Page): number {
  let level = 0
  for (let at = element.parentElement; at !== null; at = at.parentElement) if (refOf.has(at)) level += 1
  return level
}

export const isDisabled = (element: Element): boolean =>
  element.hasAttribute('disabled') ||
  (element.closest('fieldset[disabled]') !== null && element.closest('legend') === null)

/** What a field holds now; null for what is no field. */
export function fieldValue(element: Element): string | null {
  if (element.localName === 'textarea') return element.textContent
  if (element.localName === 'select') {
    const chosen = element.querySelector('option[selected]') ?? element.querySelector('option')
    return chosen === null ? null : optionValue(chosen)
  }
  return element.localName === 'input' ? (element.getAttribute('value') ?? '') : null
}

export const optionValue = (option: Element): string => option.getAttribute('value') ?? option.textContent!.trim()

const SECRET = /\b(?:current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp(?:-month|-year)?)\b/

/** Fields whose content no agent reads out: passwords, one-time codes and cards. */
export const isSecretField = (element: Element): boolean =>
  element.getAttribute('type')?.toLowerCase() === 'password' ||
  SECRET.test(element.getAttribute('autocomplete')?.toLowerCase() ?? '')
