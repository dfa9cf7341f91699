/** The actions of an agent on a page, up to the first that must not be done. Nothing is sent anywhere. */
import { cutText, sha256Hex } from '@orch/core'
import {
  controlOf,
  hrefOf,
  isDisabled,
  isSecretField,
  isSubmitButton,
  isToggle,
  kindOf,
  optionLabel,
  optionsOf,
  optionValue,
  shownValue,
  takesText,
} from './fields.ts'
import { findTarget } from './find.ts'
import {
  actionOf,
  controlsOf,
  entriesOf,
  firstMissing,
  methodOf,
  ownerOf,
  pressedByEnter,
  radioGroup,
  replacesPage,
  submitButtons,
} from './forms.ts'
import { visibleText } from './hidden.ts'
import { nameOf, type Page, readAgain } from './page.ts'
import { htmlElements, isHtml, isSvg } from './parse.ts'
import type { Action, BLOCKS, Step } from './shapes.ts'

/** What the guard found in a value that is to be typed. */
export type ValueKind = 'secret' | 'personal' | null

export interface Script {
  url: string
  allow: readonly string[]
  actions: readonly Action[]
  kinds: readonly ValueKind[]
}

type Done = Partial<Omit<Step, 'do' | 'before_sha256' | 'after_sha256'>>

export function runActions(page: Page, script: Script) {
  const { document } = page
  const run = new PageRun(page, script)
  const digest = (): string => sha256Hex(document.toString())
  const steps: Step[] = []
  const targets: (readonly [at: number, name: string] | null)[] = []
  let before = digest()
  const refreshed = run.refresh()
  if (refreshed !== null)
    steps.push({ ok: false, do: 'load', ref: null, before_sha256: before, after_sha256: before, blocked: refreshed })
  const elements = [...document.querySelectorAll('*')].filter(({ namespaceURI }) => namespaceURI !== null)
  for (const [at, action] of refreshed === null ? script.actions.entries() : []) {
    const done = run.act(action, at)
    const after = digest()
    if (after !== before) readAgain(page)
    const { target } = run
    targets.push(target === null ? null : [elements.indexOf(target), target.localName])
    steps.push({ ok: false, ref: null, ...done, do: action.do, before_sha256: before, after_sha256: after })
    before = after
    if (done.blocked !== undefined) break
  }
  return {
    steps,
    /** What each action was done to: its place among the elements of the document, and its name. */
    targets,
    extracted: run.extracted,
    finalUrl: run.left ?? script.url,
    isBlocked: steps.at(-1)?.blocked !== undefined,
  }
}

/** Where a refresh leads, as the HTML standard reads it: `url=` and quotes may be left out. */
function refreshTarget(content: string): string | null {
  const rest = /^\s*(?:\d[\d.]*|\.[\d.]*)(?:\s+[;,]?|[;,])\s*(?:url\s*=\s*)?(\S[\s\S]*)$/i.exec(content)?.[1]
  if (rest === undefined) return null
  const [quote] = rest
  return quote === '"' || quote === "'" ? (rest.slice(1).split(quote, 1)[0] as string).trim() : rest.trim()
}

class PageRun {
  readonly extracted: Record<string, string> = {}
  /** Where the page was left for. */
  left: string | null = null
  /** What the last action meant. */
  target: Element | null = null
  readonly #page: Page
  readonly #script: Script
  readonly #base: string
  readonly #initial = new Map<Element, [value: string | null, isChecked: boolean]>()

  constructor(page: Page, script: Script) {
    this.#page = page
    this.#script = script
    const base = URL.parse(htmlElements(page.document, 'base[href]')[0]?.getAttribute('href') ?? '', script.url)
    this.#base = base === null || ['data:', 'javascript:'].includes(base.protocol) ? script.url : base.href
  }

  /** A page that leaves for another origin by itself. */
  refresh(): Step['blocked'] | null {
    for (const meta of htmlElements(this.#page.document, 'meta[http-equiv="refresh" i]')) {
      const target = refreshTarget(meta.getAttribute('content') ?? '')
      const blocked = target === null ? null : this.#blocked(target, 'off_origin_refresh')
      if (blocked) return blocked
    }
    return null
  }

  act(action: Action, at: number): Done {
    this.target = null
    if (this.left !== null) return { reason: `the page was left for ${this.left}` }
    const isPageWide =
      action.do === 'assert' && !('ref' in action || 'name' in action || 'role' in action || 'css' in action)
    if (isPageWide) return this.#assert(this.#page.document.documentElement, action)
    const found = findTarget(action, at, this.#page)
    if (!Array.isArray(found)) return found
    const [element] = found
    this.target = element
    const ref = this.#page.refOf.get(element) ?? null
    if (action.do !== 'assert' && !this.#page.styles.isVisible(element))
      return { ref, reason: `it is hidden: ${this.#page.styles.hiddenBy(element).join(', ')}` }
    if (['click', 'type', 'select', 'check'].includes(action.do) && isDisabled(element))
      return { ref, reason: 'it is disabled' }
    switch (action.do) {
      case 'click':
        return { ref, ...this.#click(element) }
      case 'type':
        return { ref, ...this.#type(element, (action.value ?? '').toWellFormed(), this.#script.kinds[at] ?? null) }
      case 'select':
        return { ref, ...this.#select(element, action.value ?? '') }
      case 'check':
        return { ref, ...this.#check(element, action.value !== 'false') }
      case 'extract':
        return { ref, ...this.#extract(element, ref ?? `step${at + 1}`) }
      default:
        return { ref, ...this.#assert(element, action) }
    }
  }

  /** What the click sets off: at the element, or at the nearest one around it that does something. A label clicks its
   *  control, and what lies around that may follow. */
  #click(element: Element, isByLabel = false): Done {
    let isInControl = isByLabel
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const href = hrefOf(at)
      // Browsers differ on the link of a drawing in a button: neither may lead elsewhere.
      if (href !== null && isSvg(at) && !this.#blocked(href, 'off_origin_navigation'))
        return this.#pressAround(at) ?? this.#follow(at, href)
      if (href !== null) return this.#follow(at, href)
      if (isDisabled(at) && kindOf(at) !== null) return { reason: 'it is disabled' }
      const done = this.#press(at)
      if (done !== null) return done
      isInControl ||= kindOf(at) !== null
      const control = isHtml(at) && at.localName === 'label' && !isInControl ? controlOf(at, this.#page) : null
      if (control === null) continue
      const led = this.#click(control, true)
      return (led.effect ?? led.blocked) ? led : (this.#pressAround(at) ?? { ...led, ok: true })
    }
    return { ok: true, reason: 'nothing happens without a script, and none is run' }
  }

  /** The button that it lies in, where that sends a form. */
  #pressAround(element: Element): Done | null {
    for (let at = element.parentElement; at !== null; at = at.parentElement)
      if (isSubmitButton(at) && !isDisabled(at)) return this.#press(at)
    return null
  }

  /** Null where it does nothing by itself. */
  #press(element: Element): Done | null {
    const kind = kindOf(element)
    if (kind === 'checkbox' || kind === 'radio')
      return this.#check(element, kind === 'radio' || !element.hasAttribute('checked'))
    const form = kind === null ? null : ownerOf(element, this.#page)
    if (form !== null && (kind === 'submit' || kind === 'image')) return this.#submit(form, element)
    if (form !== null && kind === 'reset') return this.#reset(form)
    const details = element.parentElement
    const isOpener = isHtml(element) && element.localName === 'summary' && details?.localName === 'details'
    if (!isOpener || element !== [...details.children].find(({ localName }) => localName === 'summary')) return null
    details.toggleAttribute('open')
    return { ok: true }
  }

  #follow(link: Element, href: string): Done {
    const blocked = this.#blocked(href, 'off_origin_navigation')
    if (blocked) return { blocked }
    for (const ping of link.getAttribute('ping')?.split(/\s+/) ?? []) {
      const blockedPing = this.#blocked(ping, 'off_origin_ping')
      if (blockedPing) return { blocked: blockedPing }
    }
    const url = new URL(href, this.#base)
    const isHere = url.href.split('#')[0] === this.#script.url.split('#')[0] && url.hash !== ''
    const isLeft = !link.hasAttribute('download') && replacesPage(link.getAttribute('target'), this.#page)
    if (!isHere && isLeft) this.left = url.href
    return { ok: true, effect: { kind: 'navigate', url: url.href }, ...(isLeft ? {} : STAYS) }
  }

  #submit(form: Element, submitter: Element | null): Done {
    const missing = firstMissing(form, submitter, this.#page)
    if (missing !== undefined) {
      const name = nameOf(missing, this.#page) || missing.getAttribute('name') || 'a field without a name'
      return { ok: true, reason: `nothing is sent: the browser asks for ${name} first` }
    }
    const method = methodOf(form, submitter)
    if (method === 'dialog') return { ok: true, reason: 'the form closes its dialog' }
    const action = actionOf(form, submitter)
    const blocked = this.#blocked(action, 'off_origin_submit')
    if (blocked) return { blocked }
    const url = new URL(action === '' ? this.#script.url : action, action === '' ? undefined : this.#base)
    const sent = entriesOf(form, submitter, this.#page)
    if (method === 'get') {
      const detail = 'the form sends a password in the address, where logs keep it'
      if (sent.some(({ value, isSecret }) => isSecret && value !== ''))
        return { blocked: { code: 'password_in_address', detail } }
      url.search = new URLSearchParams(sent.map(({ name, value }) => [name, value])).toString()
    }
    const isLeft = replacesPage(submitter?.getAttribute('formtarget') ?? form.getAttribute('target'), this.#page)
    if (isLeft) this.left = url.href
    const fields = sent.map(({ name }) => name).slice(0, 50)
    return { ok: true, effect: { kind: 'submit', url: url.href, method, fields }, ...(isLeft ? {} : STAYS) }
  }

  /** Enter presses the default button, also one that cannot be seen. */
  #enter(form: Element): Done {
    const pressed = pressedByEnter(form, this.#page)
    return typeof pressed === 'string' ? { ok: true, reason: pressed } : this.#submit(form, pressed)
  }

  #type(element: Element, value: string, kind: ValueKind): Done {
    if (!takesText(element)) return { reason: 'it takes no text' }
    if (element.hasAttribute('readonly')) return { reason: 'it is read-only' }
    const form = ownerOf(element, this.#page)
    const foreign = form === null ? null : this.#foreignAction(form)
    const what = isSecretField(element) ? 'secret' : kind
    if (foreign !== null && what !== null)
      return {
        blocked: {
          code: what === 'secret' ? 'secret_to_foreign_form' : 'personal_value_to_foreign_form',
          detail: `the form sends what is typed to ${foreign}`,
        },
      }
    this.#remember(element)
    const most = Number.parseInt(element.getAttribute('maxlength') ?? '', 10)
    const fitting = (text: string) => (most >= 0 ? cutText(text, most) : text)
    const isArea = element.localName === 'textarea'
    const [first = '', ...others] = isArea ? [value] : value.split(/\r\n?|\n/)
    let text = first
    let last: Done = { ok: true }
    const write = () => {
      if (isArea) element.textContent = fitting(text)
      else element.setAttribute('value', fitting(text))
    }
    write()
    for (const more of others) {
      last = form === null ? last : this.#enter(form)
      if (last.blocked !== undefined || this.left !== null) return last
      text += more
      write()
    }
    if (text !== fitting(text)) return { ...last, reason: `it takes ${most} characters; the rest was cut` }
    return last
  }

  #select(element: Element, value: string): Done {
    if (kindOf(element) !== 'select') return { reason: 'it has no options' }
    const options = optionsOf(element)
    const chosen =
      options.find((option) => optionValue(option) === value) ?? options.find((option) => optionLabel(option) === value)
    if (chosen === undefined || isDisabled(chosen)) {
      const known = options.slice(0, 10).map(optionLabel).join(', ')
      return { reason: cutText(`it has no such option; it has ${known}`, 300) }
    }
    if (!element.hasAttribute('multiple')) for (const option of options) option.removeAttribute('selected')
    chosen.setAttribute('selected', '')
    return { ok: true }
  }

  #check(element: Element, isOn: boolean): Done {
    const box = element.localName === 'label' ? (controlOf(element, this.#page) ?? element) : element
    if (!isToggle(box)) return { reason: 'it cannot be checked' }
    this.#remember(box)
    if (kindOf(box) === 'radio') {
      const form = ownerOf(box, this.#page)
      const radios = htmlElements(this.#page.document, 'input').filter((one) => ownerOf(one, this.#page) === form)
      for (const other of radioGroup(box, radios)) {
        this.#remember(other)
        other.removeAttribute('checked')
      }
    }
    box.toggleAttribute('checked', isOn)
    return { ok: true }
  }

  #extract(element: Element, key: string): Done {
    if (isSecretField(element))
      return { blocked: { code: 'password_read', detail: 'what such a field holds is not read out' } }
    this.extracted[key] = cutText(shownValue(element) ?? visibleText(element, this.#page), 2000)
    return { ok: true }
  }

  #assert(element: Element, { value }: Action): Done {
    const { isVisible } = this.#page.styles
    if (!isVisible(element)) return { reason: 'it is hidden' }
    if (value === undefined) return { ok: true }
    const fieldValue = isSecretField(element) ? null : shownValue(element)
    const isThere = (fieldValue ?? visibleText(element, this.#page)).includes(value.replaceAll(/\s+/g, ' ').trim())
    return isThere ? { ok: true } : { reason: 'this text is not visible there' }
  }

  #reset(form: Element): Done {
    for (const field of controlsOf(form, this.#page)) {
      const [value, isChecked] = this.#initial.get(field) ?? []
      if (value === undefined) continue
      if (field.localName === 'textarea') field.textContent = value
      else if (value === null) field.removeAttribute('value')
      else field.setAttribute('value', value)
      field.toggleAttribute('checked', isChecked)
    }
    return { ok: true }
  }

  #remember(field: Element): void {
    if (this.#initial.has(field)) return
    const value = field.localName === 'textarea' ? field.textContent : field.getAttribute('value')
    this.#initial.set(field, [value, field.hasAttribute('checked')])
  }

  /** Where any of its buttons sends the form, if that is another origin. */
  #foreignAction(form: Element): string | null {
    for (const button of [null, ...submitButtons(form, this.#page)]) {
      const action = actionOf(form, button)
      if (this.#blocked(action, 'off_origin_submit'))
        return URL.parse(action, this.#base)?.origin ?? cutText(action, 100)
    }
    return null
  }

  #blocked(address: string, code: (typeof BLOCKS)[number]): NonNullable<Step['blocked']> | null {
    const url = address === '' ? new URL(this.#script.url) : URL.parse(address, this.#base)
    const shown = cutText(address, 200)
    if (url === null) return { code: 'other_scheme', detail: `${shown} is no address` }
    if (url.protocol === 'javascript:') return { code: 'script_url', detail: `${shown} would run a script` }
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      return { code: 'other_scheme', detail: `${url.protocol} leaves the web` }
    const allowed = [new URL(this.#script.url).origin, ...this.#script.allow]
    if (allowed.includes(url.origin)) return null
    if (url.protocol === 'http:' && allowed.includes(`https://${url.host}`))
      return { code: 'insecure_address', detail: `${url.origin} is not encrypted` }
    return { code, detail: `${url.origin} is neither the origin of the page nor allowed` }
  }
}

const STAYS = { reason: 'it opens beside the page, which stays' }
