/** The actions of an agent on a page, up to the first that must not be done. Nothing is sent anywhere. */
import { sha256Hex } from '@orch/core'
import { visibleText } from './hidden.ts'
import { fieldValue, isDisabled, isSecretField, nameOf, optionValue, type Page, readAgain, roleOf } from './page.ts'
import type { BLOCKS, DOINGS } from './shapes.ts'

export interface Action {
  do: (typeof DOINGS)[number]
  ref?: string
  role?: string
  name?: string
  css?: string
  value?: string
}

interface Candidate {
  ref: string
  role: string
  name: string
}

interface Step {
  ok: boolean
  do: Action['do'] | 'load'
  ref: string | null
  before_sha256: string
  after_sha256: string
  effect?: { kind: 'navigate' | 'submit'; url: string; method?: string; fields?: string[] }
  blocked?: { code: (typeof BLOCKS)[number]; detail: string }
  /** Why it was not done, or did nothing. */
  reason?: string
  candidates?: Candidate[]
}

/** What the guard found in a value that is to be typed. */
export type ValueKind = 'secret' | 'personal' | null

export interface Script {
  url: string
  allow: readonly string[]
  actions: readonly Action[]
  kinds: readonly ValueKind[]
}

type Done = Partial<Omit<Step, 'do' | 'before_sha256' | 'after_sha256'>>

/** A selector that cannot be read, at its action. */
export class BadSelector extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

export function runActions(page: Page, script: Script) {
  const { document } = page
  const run = new PageRun(page, script)
  const digest = (): string => sha256Hex(document.toString())
  const steps: Step[] = []
  let before = digest()
  const refreshed = run.refresh()
  if (refreshed !== null)
    steps.push({ ok: false, do: 'load', ref: null, before_sha256: before, after_sha256: before, blocked: refreshed })
  for (const [at, action] of refreshed === null ? script.actions.entries() : []) {
    const done = run.act(action, at)
    const after = digest()
    if (after !== before) readAgain(page)
    steps.push({ ok: false, ref: null, ...done, do: action.do, before_sha256: before, after_sha256: after })
    before = after
    if (done.blocked !== undefined) break
  }
  return {
    steps,
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
  readonly #page: Page
  readonly #script: Script
  readonly #base: string
  readonly #initial = new Map<Element, [value: string | null, isChecked: boolean]>()

  constructor(page: Page, script: Script) {
    this.#page = page
    this.#script = script
    const base = page.document.querySelector('base[href]')?.getAttribute('href') ?? ''
    this.#base = URL.parse(base, script.url)?.href ?? script.url
  }

  /** A page that leaves for another origin by itself. */
  refresh(): Step['blocked'] | null {
    for (const meta of this.#page.document.querySelectorAll('meta[http-equiv="refresh" i]')) {
      const target = refreshTarget(meta.getAttribute('content') ?? '')
      const blocked = target === null ? null : this.#blocked(target, 'off_origin_refresh')
      if (blocked) return blocked
    }
    return null
  }

  act(action: Action, at: number): Done {
    if (this.left !== null) return { reason: `the page was left for ${this.left}` }
    const isPageWide =
      action.do === 'assert' && !('ref' in action || 'name' in action || 'role' in action || 'css' in action)
    if (isPageWide) return this.#assert(this.#page.document.documentElement, action)
    const found = this.#find(action, at)
    if (!Array.isArray(found)) return found
    const [element] = found
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

  /** The one element that is meant, or what might have been meant. */
  #find({ ref, role, name, css }: Action, at: number): [Element] | Done {
    const { document, byRef, refOf, styles } = this.#page
    if (ref !== undefined) {
      const element = byRef.get(ref)
      return element === undefined ? { reason: `there is no ${ref}`, candidates: [] } : [element]
    }
    if (css !== undefined) {
      const all = selected(document, css, at)
      if (all.length === 1) return [all[0]!]
      const candidates = all
        .filter((element) => refOf.has(element))
        .slice(0, 5)
        .map((element) => this.#candidate(element))
      return { reason: all.length === 0 ? 'nothing matches' : `${all.length} elements match`, candidates }
    }
    const shown = [...byRef.values()].filter((element) => styles.isVisible(element))
    const ofRole = shown.filter((element) => role === undefined || roleOf(element) === role)
    const wanted = (name ?? '').trim()
    const exact = ofRole.filter((element) => name === undefined || nameOf(element, this.#page) === wanted)
    // A label names its control: whoever names it means the control.
    const meant = role === undefined ? exact.filter((element) => roleOf(element) !== 'label') : exact
    if (meant.length === 1) return [meant[0]!]
    if (meant.length > 1)
      return {
        reason: `${meant.length} elements have this name`,
        candidates: meant.slice(0, 5).map((one) => this.#candidate(one)),
      }
    const near = shown.filter(
      (element) => nameOf(element, this.#page).toLowerCase().includes(wanted.toLowerCase()) && wanted !== '',
    )
    return {
      reason: 'nothing has this role and name',
      candidates: [...new Set([...near, ...(role === undefined ? [] : ofRole)])]
        .slice(0, 5)
        .map((one) => this.#candidate(one)),
    }
  }

  #candidate(element: Element): Candidate {
    return { ref: this.#page.refOf.get(element)!, role: roleOf(element) ?? '', name: nameOf(element, this.#page) }
  }

  #click(element: Element): Done {
    const link = element.closest('a, area')
    const href = link?.getAttribute('href') ?? link?.getAttribute('xlink:href') ?? null
    if (link !== null && href !== null) return this.#follow(link, href)
    const label = element.closest('button, input, select, textarea') === null ? element.closest('label') : null
    const target = label === null ? element : this.#control(label)
    const button = target.closest('button, input')
    const kind = (button?.getAttribute('type') ?? (button?.localName === 'button' ? 'submit' : 'text')).toLowerCase()
    if (kind === 'checkbox' || kind === 'radio')
      return this.#check(button!, kind === 'radio' || !button!.hasAttribute('checked'))
    const form = button === null ? null : this.#form(button)
    if (form !== null && (kind === 'submit' || kind === 'image')) return this.#submit(form, button!)
    if (form !== null && kind === 'reset') return this.#reset(form)
    const summary = target.closest('summary')
    if (summary?.parentElement?.localName === 'details') {
      summary.parentElement.toggleAttribute('open')
      return { ok: true }
    }
    return { ok: true, reason: 'nothing happens without a script, and none is run' }
  }

  #follow(link: Element, href: string): Done {
    const blocked = this.#blocked(href, 'off_origin_navigation')
    if (blocked) return { blocked }
    for (const ping of link.getAttribute('ping')?.split(/\s+/) ?? []) {
      const told = this.#blocked(ping, 'off_origin_ping')
      if (told) return { blocked: told }
    }
    const url = new URL(href, this.#base)
    const isHere = url.href.split('#')[0] === this.#script.url.split('#')[0] && url.hash !== ''
    if (!isHere) this.left = url.href
    return { ok: true, effect: { kind: 'navigate', url: url.href } }
  }

  #submit(form: Element, submitter: Element | null): Done {
    const method = (submitter?.getAttribute('formmethod') ?? form.getAttribute('method') ?? 'get').toLowerCase()
    if (method === 'dialog') return { ok: true, reason: 'the form closes its dialog' }
    const fields = this.#fields(form)
    if (!form.hasAttribute('novalidate') && !submitter?.hasAttribute('formnovalidate')) {
      const empty = fields.find((field) => field.hasAttribute('required') && isEmpty(field))
      if (empty !== undefined)
        return { reason: `the browser asks for ${nameOf(empty, this.#page) || empty.getAttribute('name')} first` }
    }
    const action = this.#action(form, submitter)
    const blocked = this.#blocked(action, 'off_origin_submit')
    if (blocked) return { blocked }
    const url = new URL(action === '' ? this.#script.url : action, action === '' ? undefined : this.#base)
    const sent = fields.filter(
      (field) => field.hasAttribute('name') && (!isToggle(field) || field.hasAttribute('checked')),
    )
    if (method !== 'post') {
      if (sent.some((field) => isSecretField(field) && !isEmpty(field)))
        return {
          blocked: {
            code: 'password_in_address',
            detail: 'the form sends a password in the address, where logs keep it',
          },
        }
      url.search = new URLSearchParams(
        sent.map((field) => [field.getAttribute('name')!, fieldValue(field) ?? '']),
      ).toString()
    }
    this.left = url.href
    const names = sent.map((field) => field.getAttribute('name')!)
    return {
      ok: true,
      effect: { kind: 'submit', url: url.href, method: method === 'post' ? 'post' : 'get', fields: names.slice(0, 50) },
    }
  }

  #type(element: Element, value: string, kind: ValueKind): Done {
    const isArea = element.localName === 'textarea'
    const type = (element.getAttribute('type') ?? 'text').toLowerCase()
    if (
      !isArea &&
      (element.localName !== 'input' ||
        isToggle(element) ||
        ['submit', 'button', 'image', 'reset', 'file', 'hidden', 'range', 'color'].includes(type))
    )
      return { reason: 'it takes no text' }
    if (element.hasAttribute('readonly')) return { reason: 'it is read-only' }
    const form = this.#form(element)
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
    const [line = ''] = isArea ? [value] : value.split(/[\r\n]/)
    const most = Number(element.getAttribute('maxlength') ?? Number.NaN)
    const text = Number.isInteger(most) && most >= 0 ? line.slice(0, most) : line
    if (isArea) element.textContent = text
    else element.setAttribute('value', text)
    const cut = text === line ? {} : { reason: `it takes ${most} characters; the rest was cut` }
    // Enter sends the form.
    if (!isArea && line !== value && form !== null) return this.#submit(form, null)
    return { ok: true, ...cut }
  }

  #select(element: Element, value: string): Done {
    if (element.localName !== 'select') return { reason: 'it has no options' }
    const options = [...element.querySelectorAll('option')]
    const chosen =
      options.find((option) => optionValue(option) === value) ??
      options.find((option) => option.textContent!.trim() === value)
    if (chosen === undefined || chosen.hasAttribute('disabled'))
      return {
        reason: `it has no such option; it has ${options
          .slice(0, 10)
          .map((option) => option.textContent!.trim())
          .join(', ')}`.slice(0, 300),
      }
    if (!element.hasAttribute('multiple')) for (const option of options) option.removeAttribute('selected')
    chosen.setAttribute('selected', '')
    return { ok: true }
  }

  #check(element: Element, isOn: boolean): Done {
    const box = element.localName === 'label' ? this.#control(element) : element
    if (!isToggle(box)) return { reason: 'it cannot be checked' }
    this.#remember(box)
    const name = box.getAttribute('name')
    if (box.getAttribute('type') === 'radio' && name !== null)
      for (const other of this.#page.document.querySelectorAll('input[type="radio" i]'))
        if (other.getAttribute('name') === name && this.#form(other) === this.#form(box))
          other.removeAttribute('checked')
    box.toggleAttribute('checked', isOn)
    return { ok: true }
  }

  #extract(element: Element, key: string): Done {
    if (isSecretField(element))
      return { blocked: { code: 'password_read', detail: 'what such a field holds is not read out' } }
    this.extracted[key] = (fieldValue(element) ?? visibleText(element, this.#page)).slice(0, 2000)
    return { ok: true }
  }

  #assert(element: Element, { value }: Action): Done {
    const { isVisible } = this.#page.styles
    if (value === undefined) return isVisible(element) ? { ok: true } : { reason: 'it is hidden' }
    const held = isSecretField(element) ? null : fieldValue(element)
    const isThere = (held ?? visibleText(element, this.#page)).includes(value.replaceAll(/\s+/g, ' ').trim())
    return isThere ? { ok: true } : { reason: 'this text is not visible there' }
  }

  #reset(form: Element): Done {
    for (const field of this.#fields(form)) {
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

  #control(label: Element): Element {
    const id = label.getAttribute('for')
    const found =
      id === null ? label.querySelector('input, select, textarea, button') : this.#page.document.getElementById(id)
    return found ?? label
  }

  /** The form that a field belongs to, which need not lie around it. */
  #form(field: Element): Element | null {
    const id = field.getAttribute('form')
    const named = id === null ? field.closest('form') : this.#page.document.getElementById(id)
    return named?.localName === 'form' ? named : null
  }

  #fields(form: Element): Element[] {
    return [...this.#page.document.querySelectorAll('input, select, textarea')].filter(
      (field) => this.#form(field) === form && !isDisabled(field),
    )
  }

  #action(form: Element, submitter: Element | null): string {
    return (submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '').trim()
  }

  /** Where any of its buttons sends the form, if that is another origin. */
  #foreignAction(form: Element): string | null {
    const buttons = [...this.#page.document.querySelectorAll('[formaction]')].filter(
      (button) => this.#form(button) === form,
    )
    for (const button of [null, ...buttons]) {
      const action = this.#action(form, button)
      if (this.#blocked(action, 'off_origin_submit'))
        return URL.parse(action, this.#base)?.origin ?? action.slice(0, 100)
    }
    return null
  }

  #blocked(address: string, code: (typeof BLOCKS)[number]): NonNullable<Step['blocked']> | null {
    const url = address === '' ? new URL(this.#script.url) : URL.parse(address, this.#base)
    const shown = address.slice(0, 200)
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

const isToggle = (field: Element): boolean =>
  ['checkbox', 'radio'].includes(field.getAttribute('type')?.toLowerCase() ?? '')
const isEmpty = (field: Element): boolean =>
  isToggle(field) ? !field.hasAttribute('checked') : (fieldValue(field) ?? '') === ''

function selected(document: Document, css: string, at: number): Element[] {
  try {
    return [...document.querySelectorAll(css)]
  } catch (error) {
    throw new BadSelector(at, (error as Error).message)
  }
}
