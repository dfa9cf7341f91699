/** The assertions on outputs. The libraries behind patterns and schemas are loaded when one is met: in a worker. */
import { cutText, parseJsonText } from '@orch/core'
import { distance } from 'fastest-levenshtein'
import type { Assert, AssertOutcome, EvalCase } from './shapes.ts'

export interface Asserted {
  outcomes: AssertOutcome[][]
  /** What is wrong with an assertion, found where it can be stopped: compiling a pattern or a schema is work as well. */
  faults: { case: number; assert: number; field: string; message: string; type?: string }[]
}

type Check = (output: string) => AssertOutcome

const MAX_FAULTS = 20

class AssertFault extends Error {
  readonly field: string
  readonly type: string | undefined

  constructor(field: string, message: string, type?: string) {
    super(message)
    this.field = field
    this.type = type
  }
}

/** The job of large requests, and of those that need a library. */
export async function runAsserts({ cases }: { cases: EvalCase[] }): Promise<Asserted> {
  const faults: Asserted['faults'] = []
  const prepared = new Map<string, Check>()
  const checks: Check[][] = []
  for (const [at, one] of cases.entries()) {
    const own: Check[] = []
    checks.push(own)
    for (const [n, assert] of one.asserts.entries())
      try {
        const key = JSON.stringify([assert, one.expected, one.ms])
        const check = prepared.get(key) ?? (await prepare(one, assert))
        prepared.set(key, check)
        own.push(check)
      } catch (error) {
        if (!(error instanceof AssertFault)) throw error
        const { field, message, type } = error
        faults.push({ case: at, assert: n, field, message, ...(type === undefined ? {} : { type }) })
      }
  }
  if (faults.length > 0) return { outcomes: [], faults: faults.slice(0, MAX_FAULTS) }
  return { outcomes: cases.map(({ output }, at) => checks[at]!.map((check) => check(output))), faults }
}

/** What only a worker is to compile. */
export const needsLibrary = ({ type, schema }: Assert): boolean => type === 'regex' || schema !== undefined

/** What the assertion reads, and what it takes to prepare it. */
export function assertWork({ output, expected }: EvalCase, { type, value, schema, n = 1 }: Assert): number {
  const wanted = String(value ?? expected ?? '')
  const length = Math.max(1, output.length)
  if (schema !== undefined) return length + 10 * JSON.stringify(schema).length
  if (type === 'levenshtein') return Math.max(length, (length * wanted.length) / 32)
  if (type === 'rouge-n') return (length + wanted.length) * n
  if (type !== 'regex') return length
  const repeats = [...wanted.matchAll(/\{(\d{1,4})/g)].reduce((most, [, count]) => Math.max(most, Number(count)), 1)
  return length + wanted.length * repeats
}

function prepare(one: EvalCase, assert: Assert): Check | Promise<Check> {
  const { type, value = one.expected } = assert
  if (type === 'is-json') return prepareJson(assert.schema)
  if (type === 'max-ms' && one.ms === undefined) throw new AssertFault('type', 'needs `ms` in its case')
  if (value === undefined) throw new AssertFault('value', 'is needed here or as `expected`')
  if ((type === 'number-close' || type === 'max-ms') && toNumber(value) === null)
    throw new AssertFault('value', 'must be a number')
  return type === 'regex' ? prepareRegex(String(value)) : (output) => CHECKS[type](output, String(value), assert, one)
}

const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i

/** Null for a text that is none: one that is empty, hexadecimal or infinite. */
function toNumber(text: string | number): number | null {
  const value = DECIMAL.test(String(text)) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : null
}

const yesNo = (passed: boolean, detail: string): AssertOutcome => ({ passed, score: null, detail })
/** A score of which the largest that passes is `most`. */
const atMost = (score: number, most: number, detail: string): AssertOutcome =>
  Number.isFinite(score) ? { passed: score <= most, score, detail } : yesNo(false, detail)

type PlainType = Exclude<Assert['type'], 'regex' | 'is-json'>
const CHECKS: Record<PlainType, (output: string, wanted: string, assert: Assert, one: EvalCase) => AssertOutcome> = {
  equals: (output, wanted) => yesNo(output === wanted, `must equal ${quoted(wanted)}`),
  contains: (output, wanted) => yesNo(output.includes(wanted), `must contain ${quoted(wanted)}`),
  icontains: (output, wanted) =>
    yesNo(output.toLowerCase().includes(wanted.toLowerCase()), `must contain ${quoted(wanted)} in any case`),
  levenshtein(output, wanted, { threshold = 5 }) {
    const score = distance(output, wanted)
    return atMost(score, threshold, `distance ${score}, at most ${threshold}`)
  },
  'rouge-n'(output, wanted, { n = 1, threshold = 0.75 }) {
    const { precision, recall, f1 } = rouge(output, wanted, n)
    const detail = `ROUGE-${n} F1 ${f1.toFixed(6)}, at least ${threshold}`
    return { passed: f1 >= threshold, score: f1, detail, precision, recall }
  },
  'number-close'(output, wanted, { threshold = 0 }) {
    const found = toNumber(output)
    if (found === null) return yesNo(false, 'the output is not a number')
    const score = Math.abs(found - Number(wanted))
    return atMost(score, threshold, `differs by ${score}, at most ${threshold}`)
  },
  'max-ms': (_output, wanted, _assert, { ms = 0 }) => atMost(ms, Number(wanted), `${ms} ms, at most ${wanted}`),
}

async function prepareRegex(pattern: string): Promise<Check> {
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(pattern)
    return (output) => yesNo(compiled.matcher(output).find(), `must match ${quoted(pattern)}`)
  } catch (error) {
    const message = `is not a linear-time pattern: ${(error as Error).message}`
    throw new AssertFault('value', message, 'unsupported_regex')
  }
}

async function prepareJson(schema: Assert['schema']): Promise<Check> {
  const validate = schema === undefined ? null : await compiled(schema)
  return (output) => {
    let value: unknown
    try {
      value = parseJsonText(output)
    } catch {
      return yesNo(false, 'must be JSON')
    }
    if (validate === null) return yesNo(true, 'must be JSON')
    try {
      const valid = validate(value)
      const [fault] = validate.errors ?? []
      const said = fault === undefined ? 'must fit the schema' : `${fault.instancePath || '/'} ${fault.message}`
      return yesNo(valid, cutText(said, 200))
    } catch {
      // A schema that refers to itself without end.
      return yesNo(false, 'the schema could not be evaluated')
    }
  }
}

async function compiled(schema: NonNullable<Assert['schema']>) {
  const { compileSchema } = await import('../schema/validator.ts')
  try {
    return compileSchema(schema)
  } catch (error) {
    throw new AssertFault('schema', cutText(`is not a schema that can be used: ${(error as Error).message}`, 300))
  }
}

/** Overlap of grams of lower-cased words, each counted as often as it occurs in both. */
function rouge(candidate: string, reference: string, n: number) {
  const [found, wanted] = [grams(candidate, n), grams(reference, n)]
  const left = new Map<string, number>()
  for (const gram of wanted) left.set(gram, (left.get(gram) ?? 0) + 1)
  let overlap = 0
  for (const gram of found) {
    const count = left.get(gram) ?? 0
    if (count > 0) overlap += 1
    left.set(gram, count - 1)
  }
  const [precision, recall] = [overlap / Math.max(1, found.length), overlap / Math.max(1, wanted.length)]
  return { precision, recall, f1: overlap === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}

function grams(text: string, n: number): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(n - 1).map((_, at) => words.slice(at, at + n).join(' '))
}

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${cutText(text, 80)}…` : text)
