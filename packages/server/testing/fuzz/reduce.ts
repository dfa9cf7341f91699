// A found request made small: parts are taken away one by one for as long as the same fault stays.
import type { Json } from './description.ts'
import type { Fuzzed } from './requests.ts'

const ITERATIONS = 120

export async function reduced(found: Fuzzed, stays: (smaller: Fuzzed) => Promise<boolean>): Promise<Fuzzed> {
  // A fault that came of what else was going on does not come again, and is told as it was.
  if (!(await stays(found))) return found
  let smallest = found
  for (let tries = 0, progress = true; progress && tries < ITERATIONS; ) {
    progress = false
    for (const smaller of smallerOnes(smallest)) {
      if (++tries > ITERATIONS) break
      if (!(await stays(smaller))) continue
      smallest = smaller
      progress = true
      break
    }
  }
  return smallest
}

function* smallerOnes(from: Fuzzed): Generator<Fuzzed> {
  if (from.raw !== null) return
  if (from.body !== null) yield { ...from, body: null }
  if (from.query !== '') yield { ...from, query: '' }
  for (const name of Object.keys(from.headers)) yield { ...from, headers: without(from.headers, name) }
  const pairs = from.query.split('&')
  if (pairs.length > 1)
    for (const pair of pairs) yield { ...from, query: pairs.filter((other) => other !== pair).join('&') }
  const value = from.body && jsonOf(from.body)
  if (value === undefined || value === null) return
  for (const smaller of smallerValues(value)) yield { ...from, body: new TextEncoder().encode(JSON.stringify(smaller)) }
}

function* smallerValues(value: Json): Generator<Json> {
  if (typeof value === 'string' && value.length > 1) {
    yield value.slice(0, value.length >> 1)
    yield value.slice(value.length >> 1)
  }
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value) && value.length > 1) {
    yield value.slice(0, value.length >> 1)
    yield value.slice(value.length >> 1)
  }
  const keys = Object.keys(value)
  for (const key of keys) yield Array.isArray(value) ? value.filter((_, at) => String(at) !== key) : without(value, key)
  for (const [key, child] of Object.entries(value))
    for (const smaller of smallerValues(child))
      yield Array.isArray(value)
        ? value.map((item, at) => (String(at) === key ? smaller : item))
        : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, name === key ? smaller : item]))
}

const without = <T>(from: Record<string, T>, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))

function jsonOf(body: Uint8Array): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

/** As a person types it again. */
export function reproduction({ method, path, query, headers, body, raw }: Fuzzed, port: number): string {
  if (raw !== null) return `printf '%b' ${quoted(escaped(Buffer.from(raw, 'latin1')))} | nc 127.0.0.1 ${port}`
  const said = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`),
  )
  const sent = body === null ? [] : [`-H 'content-type: application/json'`, `--data-binary @-`]
  const input = body === null ? '' : `printf '%b' ${quoted(escaped(body))} | `
  const target = `http://127.0.0.1:${port}${path}${query === '' ? '' : `?${query}`}`
  return `${input}curl -i -g --path-as-is -X ${method} ${[...said, ...sent, quoted(target)].join(' ')}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const escaped = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) =>
      byte === 0x5c
        ? '\\\\'
        : byte >= 0x20 && byte < 0x7f
          ? String.fromCharCode(byte)
          : `\\0${byte.toString(8).padStart(3, '0')}`,
    )
    .join('')
