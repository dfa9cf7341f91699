// The details of a check and the facts about the subject: any JSON value, bounded in depth and number.
import { element } from './element.ts'
import { digestView, isDigest, plainText } from './text-view.ts'

const DEEPEST = 6
const MAX_ITEMS = 40

function valueView(value: unknown, depth = 0): HTMLElement {
  if (typeof value === 'string') return isDigest(value) ? digestView(value) : plainText(value)
  if (value === null) return element('span', { class: 'quiet' }, 'none')
  if (typeof value !== 'object') return element('span', { class: 'scalar' }, String(value))
  const entries: [string, unknown][] = Object.entries(value)
  if (entries.length === 0) return element('span', { class: 'quiet' }, 'none')
  if (depth >= DEEPEST) return element('span', { class: 'quiet' }, 'deeper than is shown here')
  return Array.isArray(value) ? listView(value, depth) : factsView(entries, depth)
}

export function factsView(entries: readonly [string, unknown][], depth = 0): HTMLElement {
  const list = element('dl', { class: 'facts' })
  for (const [name, value] of entries.slice(0, MAX_ITEMS))
    list.append(element('div', {}, element('dt', {}, plainText(name)), element('dd', {}, valueView(value, depth + 1))))
  return withRest(list, entries.length)
}

function listView(values: readonly unknown[], depth: number): HTMLElement {
  const list = element('ul', { class: 'items' })
  for (const value of values.slice(0, MAX_ITEMS)) list.append(element('li', {}, valueView(value, depth + 1)))
  return withRest(list, values.length)
}

function withRest(list: HTMLElement, length: number): HTMLElement {
  if (length <= MAX_ITEMS) return list
  const rest = `and ${length - MAX_ITEMS} more, in the report as JSON`
  return element('div', {}, list, element('p', { class: 'quiet' }, rest))
}
