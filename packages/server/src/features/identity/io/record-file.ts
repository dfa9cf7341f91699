/** The record files that lie next to package.json. Whoever can write there can write the program as well, so they are not
 *  defended against; they are checked so that a damaged one refuses the start and is never carried along as half a
 *  truth. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Json = Record<string, unknown>

/** One object of a record file, and how its fields are taken from it: a value of the kind asked for, or a refusal that
 *  names the file and the field. */
export class RecordFields {
  readonly #file: string
  readonly #fields: Json

  constructor(file: string, fields: Json) {
    this.#file = file
    this.#fields = fields
  }

  /** Null where it is not there. */
  optional(name: string, { rule, fits }: TextRule): string | null {
    const value = this.#fields[name] ?? null
    if (value === null) return null
    if (typeof value === 'string' && fits(value)) return value
    throw this.validationExtras(name, rule)
  }

  text(name: string, rule: TextRule): string {
    return this.optional(name, rule) ?? this.#missing(name, rule.rule)
  }

  word<T extends string>(name: string, words: readonly T[]): T {
    return this.text(name, oneOf(words)) as T
  }

  /** Null where it is not there. */
  object(name: string): RecordFields | null {
    const value = this.#fields[name] ?? null
    if (value === null) return null
    if (!isObject(value)) throw this.validationExtras(name, 'an object')
    return new RecordFields(`${this.#file}: ${name}`, value)
  }

  /** Null where it is not there. */
  list(name: string, most: number): unknown[] | null {
    const value = this.#fields[name] ?? null
    if (value === null) return null
    if (Array.isArray(value) && value.length <= most) return value
    throw this.validationExtras(name, `a list of at most ${most}`)
  }

  objects(name: string, most: number): RecordFields[] {
    return (this.list(name, most) ?? []).map((row, index) => {
      if (!isObject(row)) throw this.validationExtras(`${name}[${index}]`, 'an object')
      return new RecordFields(`${this.#file}: ${name}[${index}]`, row)
    })
  }

  entries(): [string, unknown][] {
    return Object.entries(this.#fields)
  }

  validationExtras(name: string, rule: string): Error {
    return new Error(`${this.#file}: ${name} must be ${rule}`)
  }

  #missing(name: string, rule: string): never {
    throw this.validationExtras(name, rule)
  }
}

/** Null where there is no such file. */
export function readRecordFile(root: string, file: string): RecordFields | null {
  const path = join(root, file)
  if (!existsSync(path)) return null
  const value = parsed(readFileSync(path, 'utf8'))
  if (!isObject(value)) throw new Error(`${file} must hold one JSON object; write it again or remove it`)
  return new RecordFields(file, value)
}

interface TextRule {
  rule: string
  fits(value: string): boolean
}

const matching = (rule: string, pattern: RegExp): TextRule => ({ rule, fits: (value) => pattern.test(value) })
const oneOf = (words: readonly string[]): TextRule => ({
  rule: `one of ${words.join(', ')}`,
  fits: (value) => words.includes(value),
})

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

export const COMMIT = matching('40 lower-case hex characters, not all zero', /^(?!0{40})[0-9a-f]{40}$/)
export const DIGEST = matching('sha256: and 64 hex characters', /^sha256:[0-9a-f]{64}$/)
export const VERSION = matching('a semantic version', /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,64})?$/)
export const TAG = matching('v and a semantic version', /^v\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,64})?$/)
export const DOI = matching('a DOI', /^10\.\d{4,9}\/[-._;()/:A-Za-z0-9]{1,200}$/)
export const LINE = matching('one line of 1 to 256 characters', /^[^\p{Cc}]{1,256}$/u)
export const INSTANT_TEXT: TextRule = {
  rule: 'an ISO 8601 time with a zone',
  fits: (value) => INSTANT.test(value) && !Number.isNaN(Date.parse(value)),
}
export const HTTPS_URL: TextRule = {
  rule: 'an https URL without a user, a query or a fragment',
  fits: (value) => httpsUrl(value) !== null,
}

/** As it is shown: no slash at the end. Null where it is not one. */
export function httpsUrl(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url?.protocol !== 'https:' || `${url.username}${url.password}${url.search}${url.hash}` !== '') return null
  return url.href.replace(/\/+$/, '')
}

export const utc = (instant: string): string => new Date(instant).toISOString()

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
