/** Forms by the rules of the HTML standard: whose a field is, which button Enter presses, what is asked for first and what
 *  is sent where. */
import {
  chosenOptions,
  fieldValue,
  isDisabled,
  isDropDown,
  isSecretField,
  isSubmitButton,
  isToggle,
  kindOf,
  optionsOf,
  optionValue,
} from './fields.ts'
import type { Page } from './page.ts'
import { htmlElements, isHtml, type Parsed } from './parse.ts'

const CONTROLS = 'button, input, select, textarea'
const BUTTONS = ['submit', 'image', 'reset', 'button']
const NEVER_REQUIRED = [...BUTTONS, 'hidden', 'range', 'color']
/** Where there is no button to press, Enter sends a form with one of these and no form with several. */
const BLOCKS_ENTER = new Set('text search tel url email password date month week time datetime-local number'.split(' '))

/** Markup does not change after it is parsed, and every action asks again. */
const known = new WeakMap<Element, Element | null>()

/** The form that a field belongs to: the one it names, the one that the parser gave it, or the one around it. */
export function ownerOf(field: Element, page: Parsed): Element | null {
  const owner = known.get(field)
  if (owner !== undefined) return owner
  const found = findOwner(field, page)
  known.set(field, found)
  return found
}

function findOwner(field: Element, { byId, owners }: Parsed): Element | null {
  const id = field.getAttribute('form')
  if (id !== null) {
    const named = byId.get(id)
    return named !== undefined && isForm(named) && id !== '' ? named : null
  }
  const given = owners.get(field)
  if (given !== undefined) return given
  for (let at = field.parentElement; at !== null; at = at.parentElement) if (isForm(at)) return at
  return null
}

const isForm = (element: Element): boolean => isHtml(element) && element.localName === 'form'

/** In the order of the document, buttons included. */
export const controlsOf = (form: Element, page: Page): Element[] =>
  htmlElements(page.document, CONTROLS).filter((control) => ownerOf(control, page) === form)

export const submitButtons = (form: Element, page: Page): Element[] => controlsOf(form, page).filter(isSubmitButton)

/** Enter presses the first submit button, also one that is hidden; null: it sends the form without; else why it does not. */
export function pressedByEnter(form: Element, page: Page): Element | null | string {
  const [button] = submitButtons(form, page)
  if (button !== undefined) return isDisabled(button) ? 'the button that Enter presses is disabled' : button
  const fields = controlsOf(form, page).filter((control) => BLOCKS_ENTER.has(kindOf(control)!))
  return fields.length > 1 ? 'Enter sends no form of several fields without a button' : null
}

/** The first field that a browser asks for before it sends the form. */
export function firstMissing(form: Element, submitter: Element | null, page: Page): Element | undefined {
  if (form.hasAttribute('novalidate') || submitter?.hasAttribute('formnovalidate')) return undefined
  const controls = controlsOf(form, page)
  return controls.find((control) => {
    const isAsked =
      control.hasAttribute('required') &&
      !NEVER_REQUIRED.includes(kindOf(control)!) &&
      !isDisabled(control) &&
      !control.hasAttribute('readonly') &&
      control.closest('datalist') === null
    return isAsked && isMissing(control, controls)
  })
}

function isMissing(control: Element, controls: readonly Element[]): boolean {
  const kind = kindOf(control)
  if (kind === 'checkbox') return !control.hasAttribute('checked')
  if (kind === 'radio') return ![control, ...radioGroup(control, controls)].some((one) => one.hasAttribute('checked'))
  if (kind !== 'select') return fieldValue(control) === ''
  const [chosen] = chosenOptions(control)
  // The first option of a drop-down stands for none where it has no value.
  const isPlaceholder = isDropDown(control) && chosen === optionsOf(control)[0] && chosen?.parentElement === control
  return chosen === undefined || (isPlaceholder && optionValue(chosen) === '')
}

/** The radio buttons of the same name among the controls of a form. */
export function radioGroup(radio: Element, controls: readonly Element[]): Element[] {
  const name = radio.getAttribute('name') ?? ''
  return controls.filter((one) => name !== '' && kindOf(one) === 'radio' && one.getAttribute('name') === name)
}

interface Entry {
  name: string
  value: string
  isSecret: boolean
}

export function entriesOf(form: Element, submitter: Element | null, page: Page): Entry[] {
  const sent = controlsOf(form, page).filter(
    (control) =>
      !isDisabled(control) &&
      (control === submitter || !BUTTONS.includes(kindOf(control)!)) &&
      (!isToggle(control) || control.hasAttribute('checked')),
  )
  return sent.flatMap((control): Entry[] => {
    const name = control.getAttribute('name') ?? ''
    // Every line break is sent as the standard has it.
    const entry = (text: string, called = name) => ({
      ...{ name: called, value: text.replaceAll(/\r\n?|\n/g, '\r\n'), isSecret: isSecretField(control) },
    })
    const kind = kindOf(control)
    if (kind === 'image') return ['x', 'y'].map((axis) => entry('0', name === '' ? axis : `${name}.${axis}`))
    if (name === '') return []
    if (kind === 'select')
      return chosenOptions(control)
        .filter((option) => !isDisabled(option))
        .map((option) => entry(optionValue(option)))
    if (isToggle(control)) return [entry(control.getAttribute('value') ?? 'on')]
    return [entry(fieldValue(control) ?? control.getAttribute('value') ?? '')]
  })
}

export function methodOf(form: Element, submitter: Element | null): 'get' | 'post' | 'dialog' {
  const method = (submitter?.getAttribute('formmethod') ?? form.getAttribute('method') ?? '').toLowerCase()
  return method === 'post' || method === 'dialog' ? method : 'get'
}

export const actionOf = (form: Element, submitter: Element | null): string =>
  submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? ''

/** Whether what is opened with this target takes the place of the page. */
export function replacesPage(target: string | null | undefined, { document }: Page): boolean {
  const named = target ?? htmlElements(document, 'base[target]')[0]?.getAttribute('target') ?? ''
  return ['', '_self', '_parent', '_top'].includes(named.toLowerCase())
}
