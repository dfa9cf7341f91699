// The request of a number: which operation, what is wrong with it and where.
import { brokenBytes } from './broken-bytes.ts'
import { brokenValue } from './broken-values.ts'
import type { Json, Parameter, Target } from './description.ts'
import { HOSTILE_TEXTS } from './hostile-values.ts'
import { type Headers, hostileHeaders, hostilePath, hostileQuery, METHODS, rawRequest } from './hostile-wire.ts'
import { type Random, randomOf } from './random.ts'
import { type Harvest, validValue } from './valid-values.ts'

export const KINDS = ['valid', 'near', 'parameters', 'headers', 'bytes', 'method', 'path', 'raw', 'cut'] as const
type Kind = (typeof KINDS)[number]

export interface Fuzzed {
  number: number
  kind: Kind
  target: Target
  method: string
  path: string
  query: string
  headers: Headers
  body: Uint8Array | null
  /** Sent without a Content-Length. */
  chunked: boolean
  /** Written to the socket as they are, in place of everything above. */
  raw: string | null
  whole: boolean
}

// How often each kind comes. What an operation reads itself gets most, what the layer refuses for all of them less.
const SHARES: readonly (readonly [Kind, number])[] = [
  ['near', 34],
  ['valid', 24],
  ['parameters', 12],
  ['bytes', 9],
  ['headers', 9],
  ['path', 4],
  ['method', 3],
  ['raw', 3],
  ['cut', 2],
]
const LOTS: readonly Kind[] = SHARES.flatMap(([kind, share]) => Array.from({ length: share }, () => kind))

/** An operation that reads nothing from its caller answers the same whatever is sent: it is asked less often. */
const weightOf = (target: Target): number => (target.body ? 12 : target.parameters.length > 0 ? 5 : 1)

export const weighted = (targets: readonly Target[]): Target[] =>
  targets.flatMap((target) => Array.from({ length: weightOf(target) }, () => target))

const utf8 = new TextEncoder()

export function requestOf(seed: number, number: number, lots: readonly Target[], harvest: Harvest): Fuzzed {
  const random = randomOf(seed, number)
  const target = random.pick(lots)
  const kind = random.pick(LOTS)
  const plain = plainRequest(number, kind, target, random, harvest)
  switch (kind) {
    case 'near':
      return nearRequest(plain, random)
    case 'parameters':
      return { ...plain, ...parametersOf(target, random, harvest, true) }
    case 'headers':
      return { ...plain, headers: { ...plain.headers, ...hostileHeaders(random) }, chunked: random.chance(0.2) }
    case 'bytes':
      return { ...plain, body: damagedBody(plain, random), chunked: random.chance(0.2) }
    case 'method':
      return { ...plain, method: random.pick(METHODS) }
    case 'path':
      return random.chance(0.5)
        ? { ...plain, path: hostilePath(plain.path, random) }
        : { ...plain, query: hostileQuery(random) }
    case 'raw': {
      const { text, whole } = rawRequest(plain.method, plain.path, random)
      return { ...plain, raw: text, whole }
    }
    default:
      return plain
  }
}

/** One that fits the description, but for what random gives to fields that take anything. */
export function plainRequest(number: number, kind: Kind, target: Target, random: Random, harvest: Harvest): Fuzzed {
  const body = target.body ? utf8.encode(JSON.stringify(bodyOf(target, random, harvest))) : null
  const { path, query, headers } = parametersOf(target, random, harvest, false)
  return {
    number,
    kind,
    target,
    method: target.method,
    path,
    query,
    headers,
    body,
    chunked: false,
    raw: null,
    whole: true,
  }
}

/** The example reaches the depths of an operation, the schema its breadth. */
function bodyOf({ body }: Target, random: Random, harvest: Harvest): Json {
  if (!body) return null
  if (body.example !== undefined && random.chance(0.5)) return body.example
  return validValue(body.schema, random, harvest)
}

function nearRequest(plain: Fuzzed, random: Random): Fuzzed {
  const { body } = plain.target
  if (!body || !plain.body) return { ...plain, query: random.chance(0.3) ? hostileQuery(random) : plain.query }
  const fitting = JSON.parse(new TextDecoder().decode(plain.body)) as Json
  return { ...plain, body: utf8.encode(JSON.stringify(brokenValue(fitting, body.schema, random))) }
}

function damagedBody({ body, target }: Fuzzed, random: Random): Uint8Array {
  const text = body ? new TextDecoder().decode(body) : '{}'
  return brokenBytes(text, target.body?.limit ?? 65_536, random)
}

function parametersOf(target: Target, random: Random, harvest: Harvest, hostile: boolean) {
  let path = target.path
  const query: string[] = []
  const headers: Headers = {}
  for (const parameter of target.parameters) {
    const text = parameterText(parameter, random, harvest, hostile && random.chance(0.6))
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => inPath(parameter, text))
    else if (!parameter.required && random.chance(hostile ? 0.3 : 0.5)) continue
    else if (parameter.in === 'query') query.push(`${encoded(parameter.name)}=${encoded(text)}`)
    else headers[parameter.name] = text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
  }
  if (hostile && query.length > 0 && random.chance(0.15)) query.push(query[0] as string)
  return { path, query: query.join('&'), headers }
}

function parameterText(parameter: Parameter, random: Random, harvest: Harvest, hostile: boolean): string {
  const { name, schema, example } = parameter
  const seen = harvest.get(name)
  const usual = example !== undefined && random.chance(0.3)
  const value = usual ? example : seen && random.chance(0.5) ? random.pick(seen) : validValue(schema, random, harvest)
  if (!hostile) return asText(value)
  return random.chance(0.4) ? random.pick(HOSTILE_TEXTS) : asText(brokenValue(value, schema, random))
}

const asText = (value: Json): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 1500)

/** A lone surrogate has no UTF-8; its three bytes are sent nevertheless, as a careless client would. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80')

/** The rest of a path keeps its slashes; an empty parameter is another path, and a dot a client would resolve away. */
const inPath = ({ name }: Parameter, text: string): string =>
  name === 'rest' ? encoded(text).replaceAll('%2F', '/') : encoded(text).replace(/^\.+$/, '%2E')
