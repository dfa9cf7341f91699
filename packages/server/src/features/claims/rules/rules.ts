/** The building blocks of a closed contract. A rule adds what it finds; nothing is coerced and nothing is repaired. */
import { countCodePoints } from './code-points.ts'
import { isObject } from './document.ts'
import type { KeyOrder } from './key-order.ts'
import type { Path, Problems } from './problems.ts'
import { isBlank } from './whitespace.ts'

export interface Walk {
  problems: Problems
  keys: KeyOrder
}
export type Rule = (value: unknown, path: Path, walk: Walk) => void

const tooLong = (text: string, most: number): boolean => text.length > most && countCodePoints(text) > most

export const text =
  (most: number): Rule =>
  (value, path, { problems }) => {
    if (typeof value !== 'string') problems.add(path, 'string_type', 'must be a string')
    else if (tooLong(value, most)) problems.add(path, 'string_too_long', `must have at most ${most} code points`)
  }

export const nonblank =
  (most: number): Rule =>
  (value, path, walk) => {
    text(most)(value, path, walk)
    if (typeof value === 'string' && !tooLong(value, most) && isBlank(value))
      walk.problems.add(path, 'blank', 'must hold a character that is not whitespace')
  }

export const hexDigest: Rule = (value, path, { problems }) => {
  if (typeof value !== 'string') problems.add(path, 'string_type', 'must be a string')
  else if (!HEX_DIGEST.test(value)) problems.add(path, 'pattern', 'must be exactly 64 hex characters')
}
const HEX_DIGEST = /^[0-9A-Fa-f]{64}$/

export const flag: Rule = (value, path, { problems }) => {
  if (typeof value !== 'boolean') problems.add(path, 'boolean_type', 'must be true or false')
}

export const numberWithin =
  (least: number, most: number): Rule =>
  (value, path, { problems }) => {
    if (typeof value !== 'number') problems.add(path, 'number_type', 'must be a number')
    else if (!(value >= least && value <= most))
      problems.add(path, 'out_of_range', `must be from ${least} to ${most}, both included`)
  }

export const word =
  (words: readonly string[]): Rule =>
  (value, path, { problems }) => {
    if (typeof value !== 'string') problems.add(path, 'string_type', 'must be a string')
    else if (!words.includes(value)) problems.add(path, 'enum', `must be one of ${words.join(', ')}`)
  }

export const orNull =
  (rule: Rule): Rule =>
  (value, path, walk) => {
    if (value !== null) rule(value, path, walk)
  }

export const list =
  (most: number, item: Rule): Rule =>
  (value, path, walk) => {
    if (!Array.isArray(value)) return walk.problems.add(path, 'array_type', 'must be a list')
    if (value.length > most) walk.problems.add(path, 'too_many_items', `must have at most ${most} items`)
    for (const [at, entry] of value.entries()) {
      if (walk.problems.full) return
      item(entry, [...path, at], walk)
    }
  }

/** An object whose keys are the caller’s. */
export const mapOf =
  (most: number, key: Rule, entry: Rule): Rule =>
  (value, path, walk) => {
    if (!isObject(value)) return walk.problems.add(path, 'object_type', 'must be an object')
    const keys = walk.keys(value)
    if (keys.length > most) walk.problems.add(path, 'too_many_properties', `must have at most ${most} properties`)
    for (const name of keys) {
      if (walk.problems.full) return
      key(name, [...path, name], walk)
      entry(value[name], [...path, name], walk)
    }
  }

export const closed =
  (fields: Readonly<Record<string, Rule>>, required: readonly string[] = []): Rule =>
  (value, path, walk) => {
    if (!isObject(value)) return walk.problems.add(path, 'object_type', 'must be an object')
    for (const name of required)
      if (!Object.hasOwn(value, name)) walk.problems.add([...path, name], 'missing', 'this property is required')
    for (const name of walk.keys(value)) {
      if (walk.problems.full) return
      // Own fields alone: a property called `constructor` is as foreign as any other.
      if (Object.hasOwn(fields, name)) fields[name]!(value[name], [...path, name], walk)
      else walk.problems.add([...path, name], 'extra_forbidden', 'this property is not part of the contract')
    }
  }
