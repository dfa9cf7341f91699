/** How one setting is read: text in, value out, or a sentence that says which rule it broke. Pure. */

import { importPublicKey, parseWitnessKey } from '@orch/core'
import { isLoopbackHost } from '../adapters/outbound/addresses.ts'

export type Rule<T> = { text: string; read(value: string): T }

const rule = <T>(text: string, read: (value: string) => T | undefined): Rule<T> => ({
  text,
  read(value) {
    const out = read(value)
    if (out === undefined) throw new Error(`must be ${text}`)
    return out
  },
})

export const integer = (min: number, max: number) =>
  rule(`a whole number from ${min} to ${max}`, (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    return number >= min && number <= max ? number : undefined
  })

export const ratio = rule('a number from 0 to 1', (value) => {
  const number = /^(0|1|0?\.\d{1,9}|1\.0{1,9}|0\.\d{1,9})$/.test(value) ? Number(value) : Number.NaN
  return number >= 0 && number <= 1 ? number : undefined
})

export const oneOf = <const T extends string>(...words: T[]) =>
  rule(`one of ${words.join(', ')}`, (value) => words.find((word) => word === value))

export const flag = rule('0 or 1', (value) => (value === '1' ? true : value === '0' ? false : undefined))
export const onOff = rule('on or off', (value) => (value === 'on' ? true : value === 'off' ? false : undefined))

export const text = (max: number, min = 1) =>
  rule(`text of ${min} to ${max} characters without control characters`, (value) =>
    value.length >= min && [...value].length <= max && !/\p{Cc}/u.test(value) ? value : undefined,
  )

const matching = (what: string, pattern: RegExp) => rule(what, (value) => (pattern.test(value) ? value : undefined))

export const address = matching('an IP address or host name', /^(?:[A-Za-z0-9._-]{1,253}|[0-9a-fA-F:.]{2,45})$/)
export const commit = rule('40 lower-case hex characters, not all zero', (value) =>
  /^[0-9a-f]{40}$/.test(value) && !/^0+$/.test(value) ? value : undefined,
)
export const keyid = matching('64 lower-case hex characters', /^[0-9a-f]{64}$/)
export const imageDigest = matching('sha256: and 64 lower-case hex characters', /^sha256:[0-9a-f]{64}$/)
export const releaseTag = matching('v and a semantic version', /^v\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,64})?$/)
export const doi = matching('a DOI (10.<registrant>/<suffix>)', /^10\.\d{4,9}\/[-._;()/:A-Za-z0-9]{1,200}$/)
export const ownerName = matching('owner/name', /^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,100}$/)

export const instant = rule('an ISO 8601 time with a zone', (value) => {
  const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(value)
  const at = shape ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
})

const url = (what: string, fits: (url: URL) => boolean) =>
  rule(what, (value) => {
    if (!URL.canParse(value)) return undefined
    const parsed = new URL(value)
    if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') return undefined
    return fits(parsed) ? value.replace(/\/$/, '') : undefined
  })
const http = (at: URL) => at.protocol === 'https:' || at.protocol === 'http:'
const bare = (at: URL) => at.pathname === '/' && at.search === ''
const secure = (at: URL) => at.protocol === 'https:' || (at.protocol === 'http:' && isLoopbackHost(at))

export const origin = url('an absolute URL without a path', (at) => http(at) && bare(at))
export const secureOrigin = url('an https origin (http for loopback)', (at) => secure(at) && bare(at))
export const httpsUrl = url('an https URL', (at) => at.protocol === 'https:')
export const secureUrl = url('an https URL (http for loopback)', secure)
export const httpUrl = url('an http or https URL', http)
export const signerUrl = rule('an https URL (http for loopback) or unix:/path/to/socket', (value) => {
  if (/^unix:\/[^\0]{1,200}$/.test(value)) return value
  return URL.canParse(value) && secure(new URL(value)) ? value : undefined
})
export const guardPlace = rule('the path of a file, or an https URL (http for loopback) of a witness', (value) => {
  if (/^[a-z]+:\/\//i.test(value))
    return URL.canParse(value) && secure(new URL(value)) ? value.replace(/\/$/, '') : undefined
  return value.length <= 4096 && value !== '' && !/\p{Cc}/u.test(value) ? value : undefined
})
export const witnessKey = rule('the key of a witness as its /key gives it', (value) =>
  parseWitnessKey(value) === null ? undefined : value,
)
export const postgresUrl = rule('a postgres:// URL', (value) =>
  URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol) ? value : undefined,
)

export const listOf = <T>(item: Rule<T>, max: number) =>
  rule(`a comma-separated list of at most ${max} (each ${item.text})`, (value) => {
    const parts = value.split(',').map((part) => part.trim())
    return parts.length <= max ? allOf(parts, item) : undefined
  })

/** Each name once. */
export const namedUrls = (max: number) =>
  rule(
    `a comma-separated list of at most ${max} name=URL (each name a small letter and up to 31 of a-z 0-9 -, each URL https, or http for loopback)`,
    (value) => {
      const pairs = value.split(',').map((part) => /^([a-z][a-z0-9-]{0,31})=(.+)$/.exec(part.trim()))
      const named = pairs.flatMap((pair) => (pair === null ? [] : [[pair[1]!, pair[2]!] as const]))
      const isFit = named.length === pairs.length && new Set(named.map(([name]) => name)).size === pairs.length
      const urls =
        isFit && pairs.length <= max
          ? allOf(
              named.map(([, at]) => at),
              secureUrl,
            )
          : undefined
      return urls && Object.fromEntries(named.map(([name], at) => [name, urls[at]!]))
    },
  )

/** The fault is the list's: its own rule says what each of its parts must be. */
function allOf<T>(parts: readonly string[], item: Rule<T>): T[] | undefined {
  try {
    return parts.map((part) => item.read(part))
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

export const headerPairs = rule('a comma-separated list of name=value', (value) => {
  const pairs = value
    .split(',')
    .map((part) => /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]{1,64})=([\x21-\x7e]{0,4096})\s*$/.exec(part))
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]))
    : undefined
})

/** Of each name the limit of one owner and the limit of all of them together. */
export const quotaPairs = <const T extends string>(...names: T[]) =>
  rule(`a comma-separated list of name=owner/global, the names being ${names.join(', ')}`, (value) => {
    const parts = value.split(',').map((part) => /^([a-z]+)=(\d{1,15})\/(\d{1,15})$/.exec(part))
    const known = parts.every((part) => part !== null && (names as string[]).includes(part[1]!))
    if (!known || new Set(parts.map((part) => part?.[1])).size !== parts.length) return undefined
    const pairs = parts.map((part) => [part?.[1], { owner: Number(part?.[2]), global: Number(part?.[3]) }])
    return Object.fromEntries(pairs) as Partial<Record<T, { owner: number; global: number }>>
  })

/** Each name once. */
export const weights = (max: number) =>
  rule(
    `a comma-separated list of at most ${max} name=weight (each weight from 0.001 to 1000, at most three decimals)`,
    (value) => {
      const parts = value
        .split(',')
        .map((part) => /^([a-z0-9][a-z0-9._-]{0,63})=(\d{1,4}(?:\.\d{1,3})?)$/.exec(part.trim()))
      const pairs = parts.flatMap((part) => (part === null ? [] : [[part[1]!, Number(part[2])] as const]))
      const isFit = pairs.length === parts.length && new Set(pairs.map(([name]) => name)).size === pairs.length
      const isInRange = pairs.every(([, weight]) => weight >= 0.001 && weight <= 1000)
      return isFit && isInRange && pairs.length <= max ? Object.fromEntries(pairs) : undefined
    },
  )

/** A PEM in an environment variable has its line breaks, or the two characters \\n in their place. */
export const p256Pem = rule('the PEM of an ECDSA P-256 public key', (value) => {
  const pem = value.replaceAll('\\n', '\n').trim()
  return importPublicKey(`${pem}\n`) === null ? undefined : `${pem}\n`
})
