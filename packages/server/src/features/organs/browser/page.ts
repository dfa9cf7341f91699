/** A page as a browser would have it after parsing and before any script: HTML by the rules of the standard, over a DOM that
 *  runs nothing and loads nothing. */
import { cutText } from '@orch/core'
import { computeAccessibleName, getRole } from 'dom-accessibility-api'
import { fieldValue, isDisabled, isSecretField, isToggle, kindOf, labelsOf } from './fields.ts'
import { isHtml, isSvg, type Parsed, parsePage } from './parse.ts'
import { type Styles, stylesOf } from './styles.ts'

export interface Page extends Parsed {
  styles: Styles
  /** Elements that have a role, by their refs, in the order of the document. */
  byRef: Map<string, Element>
  refOf: Map<Element, string>
  /** Names that were computed since the page last changed. */
  names: Map<Element, string>
}

/** Null where elements are nested deeper than is read. */
export function openPage(html: string): Page | null {
  const parsed = parsePage(html)
  if (parsed === null) return null
  const { document } = parsed
  const styles = stylesOf(document)
  linkLabels(parsed)
  // A name may be made of the values of fields; what a field of secrets holds is in no name.
  for (const field of document.querySelectorAll('input, textarea, select'))
    if (isSecretField(field)) Object.defineProperty(field, 'value', { value: '' })
  const withRole = [...document.querySelectorAll('*')].filter((element) => roleOf(element) !== null)
  const byRef = new Map(withRole.map((element, at) => [`e${at + 1}`, element]))
  const refOf = new Map([...byRef].map(([ref, element]) => [element, ref]))
  return { ...parsed, styles, byRef, refOf, names: new Map() }
}

/** What an action changed may show, hide and name other elements. */
export function readAgain(page: Page): void {
  page.styles = stylesOf(page.document)
  page.names.clear()
}

/** The labels of each control, found once: without them every name that is asked for looks through all labels. */
function linkLabels(page: Parsed): void {
  const labels = labelsOf(page)
  for (const control of page.document.querySelectorAll('input, select, textarea, button, meter, output, progress'))
    Object.defineProperty(control, 'labels', { value: labels.get(control) ?? [] })
}

/** Fields without a role of their own are text boxes to whoever types into them. The names of other languages give none,
 *  but for links and formulas. */
export function roleOf(element: Element): string | null {
  const isNamed = isHtml(element) || (isSvg(element) && element.localName === 'a') || element.localName === 'math'
  if (!isNamed && !element.hasAttribute('role')) return null
  const role = getRole(element)
  if (role === 'presentation' || role === 'none' || role === 'generic' || role === 'document') return null
  if (role !== null) return role
  const name = element.localName
  if (name === 'input') return kindOf(element) === 'hidden' ? null : 'textbox'
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
    const href = element.getAttribute('href')
    const value = fieldValue(element)
    return {
      ref,
      role: roleOf(element)!,
      name: nameOf(element, page),
      level: levelOf(element, page),
      // What a password field holds is not shown.
      ...(value === null || isSecretField(element) ? {} : { value: cutText(value, 256) }),
      ...(isToggle(element) ? { checked: element.hasAttribute('checked') } : {}),
      ...(isDisabled(element) ? { disabled: true as const } : {}),
      ...(href === null ? {} : { href: cutText(href, 512) }),
    }
  })
  return { snapshot, total: shown.length }
}

function levelOf(element: Element, { refOf }: Page): number {
  let level = 0
  for (let at = element.parentElement; at !== null; at = at.parentElement) if (refOf.has(at)) level += 1
  return level
}
