/** What a control is and holds, by the rules of the HTML standard. */
import { htmlElements, isHtml, isMath, isSvg, type Parsed } from './parse.ts'

const INPUT_KINDS = new Set(
  'hidden text search tel url email password date month week time datetime-local number range color checkbox radio file submit image reset button'.split(
    ' ',
  ),
)
const CAN_BE_DISABLED = new Set('button input select textarea optgroup option fieldset'.split(' '))

/** The state of its `type`, or the name of the element; null for what is no control. A type that is not known is text in an
 *  input, and submit in a button. */
export function kindOf(element: Element): string | null {
  const name = isHtml(element) ? element.localName : null
  const type = element.getAttribute('type')?.toLowerCase() ?? ''
  if (name === 'input') return INPUT_KINDS.has(type) ? type : 'text'
  if (name !== 'button') return name === 'select' || name === 'textarea' ? name : null
  if (type === 'submit' || type === 'reset' || type === 'button') return type
  return element.hasAttribute('command') || element.hasAttribute('commandfor') ? 'button' : 'submit'
}

const NO_TEXT = new Set('select checkbox radio submit button image reset file hidden range color'.split(' '))

export function takesText(element: Element): boolean {
  const kind = kindOf(element)
  return kind !== null && !NO_TEXT.has(kind)
}

export const isToggle = (element: Element): boolean => ['checkbox', 'radio'].includes(kindOf(element)!)
export const isSubmitButton = (element: Element): boolean => ['submit', 'image'].includes(kindOf(element)!)

const LABELABLE = new Set('button input meter output progress select textarea'.split(' '))
const isLabelable = (element: Element): boolean =>
  isHtml(element) && LABELABLE.has(element.localName) && kindOf(element) !== 'hidden'

/** Of the one that it names, or else the first inside of it. */
export function controlOf(label: Element, { byId }: Pick<Parsed, 'byId'>): Element | null {
  const id = label.getAttribute('for')
  const meant = id === null ? [...label.querySelectorAll('*')].find(isLabelable) : byId.get(id)
  return meant !== undefined && isLabelable(meant) ? meant : null
}

/** The labels of each control that has one. */
export function labelsOf(page: Parsed): Map<Element, Element[]> {
  const labels = new Map<Element, Element[]>()
  for (const label of htmlElements(page.document, 'label')) {
    const control = controlOf(label, page)
    if (control !== null) labels.set(control, [...(labels.get(control) ?? []), label])
  }
  return labels
}

/** By itself, or by a field set around it: but for what lies in the first legend of that. A link cannot be disabled. */
export function isDisabled(element: Element): boolean {
  if (!isHtml(element) || !CAN_BE_DISABLED.has(element.localName)) return false
  if (element.hasAttribute('disabled')) return true
  if (element.localName === 'option') return element.closest('optgroup[disabled]') !== null
  if (element.localName === 'optgroup') return false
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (!isHtml(at) || at.localName !== 'fieldset' || !at.hasAttribute('disabled')) continue
    const legend = [...at.children].find((child) => isHtml(child) && child.localName === 'legend')
    if (legend === undefined || !legend.contains(element)) return true
  }
  return false
}

/** What a field holds now; null for what is no field. */
export function fieldValue(element: Element): string | null {
  const kind = kindOf(element)
  if (kind === null || element.localName === 'button') return null
  if (kind === 'textarea') return element.textContent
  if (kind !== 'select') return element.getAttribute('value') ?? ''
  const [chosen] = chosenOptions(element)
  return chosen === undefined ? null : optionValue(chosen)
}

/** What a field shows; null for what is no field. */
export function shownValue(element: Element): string | null {
  if (isToggle(element)) return String(element.hasAttribute('checked'))
  const kind = kindOf(element)
  if (kind === 'image') return element.getAttribute('alt') ?? ''
  if (kind === 'select') return chosenOptions(element).map(optionLabel).join(' ')
  return fieldValue(element)
}

/** Not those that lie in another option. */
export const optionsOf = (select: Element): Element[] =>
  [...select.querySelectorAll('option')].filter((option) => {
    let at = option.parentElement!
    while (at !== select && !['option', 'datalist'].includes(at.localName)) at = at.parentElement!
    return isHtml(option) && at === select
  })

export const isDropDown = (select: Element): boolean =>
  !select.hasAttribute('multiple') && !(Number.parseInt(select.getAttribute('size') ?? '', 10) > 1)

/** Of several that are marked in a drop-down the last; where none is, the first that can be chosen. */
export function chosenOptions(select: Element): Element[] {
  const options = optionsOf(select)
  const marked = options.filter((option) => option.hasAttribute('selected'))
  if (select.hasAttribute('multiple')) return marked
  const usual = isDropDown(select) ? options.find((option) => !isDisabled(option)) : undefined
  const chosen = marked.at(-1) ?? usual
  return chosen === undefined ? [] : [chosen]
}

const optionText = (option: Element): string => option.textContent!.replaceAll(/\s+/g, ' ').trim()
export const optionValue = (option: Element): string => option.getAttribute('value') ?? optionText(option)
export const optionLabel = (option: Element): string => option.getAttribute('label') || optionText(option)

const SECRET = /\b(?:current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp(?:-month|-year)?)\b/

/** Fields whose content no agent reads out: passwords, one-time codes and cards. */
export const isSecretField = (element: Element): boolean =>
  element.getAttribute('type')?.toLowerCase() === 'password' ||
  SECRET.test(element.getAttribute('autocomplete')?.toLowerCase() ?? '')

/** Of a link; drawings have links as well, and in a formula anything may be one. */
export function hrefOf(element: Element): string | null {
  if (isMath(element)) return element.getAttribute('href') ?? element.getAttribute('xlink:href')
  if (isSvg(element) && element.localName === 'a')
    return element.getAttribute('href') ?? element.getAttribute('xlink:href')
  return isHtml(element) && ['a', 'area'].includes(element.localName) ? element.getAttribute('href') : null
}
