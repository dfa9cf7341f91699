/** What the list is narrowed by: in the address as a reader types it, on the wire as the ledger takes it. What the address
 *  does not say is the default; `any` says that there is none. */
import type { Input } from '@orch/client'
import { GATE_EXPLANATIONS, nearest } from '@orch/core'

export const FILTER_NAMES = [
  'decision',
  'kind',
  'chain',
  'agent',
  'tool',
  'gate',
  'session',
  'signed',
  'policy',
  'since',
  'until',
  'q',
] as const
export type FilterName = (typeof FILTER_NAMES)[number]
export type Filters = Readonly<Partial<Record<FilterName, string>>>
export type WireFilters = NonNullable<Input<'khipu.ledger'>['query']>

const ANY = 'any'

export function filtersOf(query: URLSearchParams, defaults: Filters): Filters {
  const found = FILTER_NAMES.map((name) => [name, query.get(name) ?? defaults[name]] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== '' && value !== ANY))
}

export function queryOf(filters: Filters, defaults: Filters): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of FILTER_NAMES) {
    const value = filters[name]
    if (value === undefined ? defaults[name] !== undefined : value !== defaults[name]) query.set(name, value ?? ANY)
  }
  return query
}

/** `decision:deny tool:refund card` as somebody types it: names that are filters, and words for the rest. What looks like
 *  a filter and is none is told instead: taken for a word it would narrow by something else than was meant. */
export function typedFilters(text: string): { filters: Filters; fault: string | null } {
  const words: string[] = []
  const found: Partial<Record<FilterName, string>> = {}
  let fault: string | null = null
  for (const token of text.trim().split(/\s+/)) {
    const [, name = '', value = ''] = /^([a-z]+):(.+)$/i.exec(token) ?? []
    const filter = FILTER_NAMES.find((one) => one === name.toLowerCase())
    if (filter !== undefined) found[filter] = value
    else if (name !== '' && !value.startsWith('//')) fault ??= noSuch('filter', name, FILTER_NAMES)
    else if (token !== '') words.push(token)
  }
  const { gate, decision } = found
  if (gate !== undefined && !GATES.includes(gate)) fault ??= noSuch('gate', gate, GATES)
  if (decision !== undefined && outcomeOf(decision) === undefined) fault ??= noSuch('outcome', decision, OUTCOMES)
  return { filters: words.length === 0 ? found : { ...found, q: words.join(' ') }, fault }
}

/** An address with a name that is no filter shows more than its writer meant. */
export function addressFault(query: URLSearchParams): string | null {
  const unknown = [...query.keys()].find((name) => !FILTER_NAMES.some((one) => one === name))
  return unknown === undefined
    ? null
    : `Of the address, ${unknown} was left out. ${noSuch('filter', unknown, FILTER_NAMES)}`
}

function noSuch(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name.slice(0, 64), known)
  return `There is no ${what} ${name}${near === null ? `: ${known.join(', ')}` : `, did you mean ${near}?`}`
}

const GATES = GATE_EXPLANATIONS.map(({ code }) => code)

const DECISIONS: Readonly<Record<string, string>> = {
  allow: 'ALLOW',
  allowed: 'ALLOW',
  review: 'REVIEW',
  held: 'REVIEW',
  hold: 'REVIEW',
  deny: 'DENY',
  denied: 'DENY',
}
const OUTCOMES = ['allow', 'held', 'deny']
const outcomeOf = (text: string): string | undefined => DECISIONS[text.toLowerCase()]

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 }
const DAY_MS = 86_400_000

/** What cannot be read as a time goes out as it was typed, and the service says what is wrong with it. */
function instantOf(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d+)\s*(s|m|min|h|d)$/.exec(text) ?? []
  if (count !== undefined) return new Date(now - Number(count) * (UNIT_MS[unit] as number)).toISOString()
  const today = Math.floor(now / DAY_MS) * DAY_MS
  if (text === 'today') return new Date(today).toISOString()
  if (text === 'yesterday') return new Date(today - DAY_MS).toISOString()
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}

export function wireFilters(filters: Filters, now: number): WireFilters {
  const { decision, since, until, ...rest } = filters
  return {
    ...rest,
    ...(decision === undefined ? {} : { decision: outcomeOf(decision) ?? decision }),
    ...(since === undefined ? {} : { since: instantOf(since, now) }),
    ...(until === undefined ? {} : { until: instantOf(until, now) }),
  } as WireFilters
}
