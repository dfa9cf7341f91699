/** The one element that an action means, or those that it might have meant. */
import { hrefOf, isToggle, kindOf, takesText } from './fields.ts'
import { nameOf, type Page, roleOf } from './page.ts'
import type { Action, Step } from './shapes.ts'

type Candidate = NonNullable<Step['candidates']>[number]

/** A selector that cannot be read, at its action. */
export class BadSelector extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

const MAX_CANDIDATES = 5
const CLICKED = /^(?:link|button|checkbox|radio|switch|tab|option|treeitem|menuitem(?:checkbox|radio)?|summary)$/

/** Whether the element is of the kind that this is done to. */
const IS_FIT: Readonly<Partial<Record<Action['do'], (element: Element) => boolean>>> = {
  click: (element) => hrefOf(element) !== null || kindOf(element) !== null || CLICKED.test(roleOf(element) ?? ''),
  type: takesText,
  select: (element) => kindOf(element) === 'select',
  check: isToggle,
}

type Found = [Element] | { reason: string; candidates: Candidate[] }

export function findTarget(action: Action, at: number, page: Page): Found {
  const { ref, css } = action
  if (ref === undefined) return css === undefined ? byName(action, page) : bySelector(css, at, page)
  const element = page.byRef.get(ref)
  return element === undefined ? { reason: `there is no ${ref}`, candidates: [] } : [element]
}

function bySelector(css: string, at: number, page: Page): Found {
  const all = selected(page.document, css, at)
  if (all.length === 1) return [all[0]!]
  const candidates = toCandidates(
    all.filter((element) => page.refOf.has(element)),
    page,
  )
  return { reason: all.length === 0 ? 'nothing matches' : `${all.length} elements match`, candidates }
}

function byName({ do: doing, role, name }: Action, page: Page): Found {
  const shown = [...page.byRef.values()].filter((element) => page.styles.isVisible(element))
  const ofRole = shown.filter((element) => role === undefined || roleOf(element) === role)
  const wanted = (name ?? '').trim()
  const exact = ofRole.filter((element) => name === undefined || nameOf(element, page) === wanted)
  // A label names its control: whoever names it means the control.
  const named = role === undefined ? exact.filter((element) => roleOf(element) !== 'label') : exact
  // A heading may be called like a button: whoever clicks means the button.
  const fit = role === undefined ? named.filter(IS_FIT[doing] ?? (() => true)) : named
  const meant = fit.length > 0 ? fit : named
  if (meant.length === 1) return [meant[0]!]
  if (meant.length > 1)
    return { reason: `${meant.length} elements have this name`, candidates: toCandidates(meant, page) }
  const near = shown.filter(
    (element) => wanted !== '' && nameOf(element, page).toLowerCase().includes(wanted.toLowerCase()),
  )
  const others = new Set([...near, ...(role === undefined ? [] : ofRole)])
  return { reason: 'nothing has this role and name', candidates: toCandidates([...others], page) }
}

const toCandidates = (elements: readonly Element[], page: Page): Candidate[] =>
  elements.slice(0, MAX_CANDIDATES).map((element) => ({
    ...{ ref: page.refOf.get(element)!, role: roleOf(element) ?? '', name: nameOf(element, page) },
  }))

function selected(document: Document, css: string, at: number): Element[] {
  try {
    // What lies in a template is not in the document.
    return [...document.querySelectorAll(css)].filter(({ namespaceURI }) => namespaceURI !== null)
  } catch (error) {
    throw new BadSelector(at, (error as Error).message)
  }
}
