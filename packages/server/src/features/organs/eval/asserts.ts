/** The assertions on one output. Pure, so that they run here or in a worker alike. */
import { distance } from 'fastest-levenshtein'
import { RE2JS } from 're2js'
import { compileSchema, type JsonSchema } from '../schema/validator.ts'

export const ASSERT_TYPES = [
  'equals',
  'contains',
  'icontains',
  'regex',
  'is-json',
  'levenshtein',
  'rouge-n',
  'number-close',
  'max-ms',
] as const

export interface Assert {
  type: (typeof ASSERT_TYPES)[number]
  /** What is expected, where the case does not say it: a text, a pattern, a number or milliseconds. */
  value?: string | number
  /** Of `is-json`. */
  schema?: JsonSchema
  /** Largest distance (levenshtein), smallest F1 (rouge-n) or largest difference (number-close). */
  threshold?: number
  /** Words in a gram of `rouge-n`. */
  n?: number
}

export interface EvalCase {
  id: string
  output: string
  expected?: string | number
  ms?: number
  asserts: Assert[]
}

export interface AssertOutcome {
  passed: boolean
  /** What was measured: a distance, F1, difference or milliseconds; null where there is only yes or no. */
  score: number | null
  detail: string
  precision?: number
  recall?: number
}

type Check = (output: string, wanted: string, assert: Assert, one: EvalCase) => AssertOutcome

const yesNo = (passed: boolean, detail: string): AssertOutcome => ({ passed, score: null, detail })

const CHECKS: Record<Assert['type'], Check> = {
  equals: (output, wanted) => yesNo(output === wanted, `must equal ${quoted(wanted)}`),
  contains: (output, wanted) => yesNo(output.includes(wanted), `must contain ${quoted(wanted)}`),
  icontains: (output, wanted) =>
    yesNo(output.toLowerCase().includes(wanted.toLowerCase()), `must contain ${quoted(wanted)} in any case`),
  regex: (output, wanted) => yesNo(RE2JS.compile(wanted).matcher(output).find(), `must match ${quoted(wanted)}`),
  'is-json': (output, _wanted, { schema }) => checkJson(output, schema),
  levenshtein(output, wanted, { threshold = 5 }) {
    const score = distance(output, wanted)
    return { passed: score <= threshold, score, detail: `distance ${score}, at most ${threshold}` }
  },
  'rouge-n'(output, wanted, { n = 1, threshold = 0.75 }) {
    const { precision, recall, f1 } = rouge(output, wanted, n)
    const detail = `ROUGE-${n} F1 ${f1.toFixed(6)}, at least ${threshold}`
    return { passed: f1 >= threshold, score: f1, detail, precision, recall }
  },
  'number-close'(output, wanted, { threshold = 0 }) {
    const found = output.trim() === '' ? Number.NaN : Number(output)
    if (!Number.isFinite(found)) return yesNo(false, 'the output is not a number')
    const score = Math.abs(found - Number(wanted))
    return { passed: score <= threshold, score, detail: `differs by ${score}, at most ${threshold}` }
  },
  'max-ms'(_output, wanted, _assert, { ms }) {
    return { passed: ms! <= Number(wanted), score: ms!, detail: `${ms} ms, at most ${wanted}` }
  },
}

const runAssert = (one: EvalCase, assert: Assert): AssertOutcome =>
  CHECKS[assert.type](one.output, String(assert.value ?? one.expected ?? ''), assert, one)

export interface Asserted {
  outcomes: AssertOutcome[][]
  /** What is wrong with an assertion, found where it can be stopped: compiling a pattern or a schema is work as well. */
  faults: { case: number; assert: number; field: string; message: string; type?: string }[]
}

/** The job of large requests. */
export function runAsserts({ cases }: { cases: EvalCase[] }): Asserted {
  const faults: Asserted['faults'] = []
  for (const [at, one] of cases.entries())
    for (const [n, assert] of one.asserts.entries()) {
      const fault = assertFault(one, assert)
      if (fault !== null) faults.push({ case: at, assert: n, ...fault })
    }
  if (faults.length > 0) return { outcomes: [], faults: faults.slice(0, 20) }
  return { outcomes: cases.map((one) => one.asserts.map((assert) => runAssert(one, assert))), faults }
}

/** What the assertion reads, and what it takes to prepare it. Only a schema always goes to a worker. */
export function assertWork({ output, expected }: EvalCase, { type, value, schema }: Assert): number {
  const wanted = String(value ?? expected ?? '')
  const length = Math.max(1, output.length)
  if (schema !== undefined) return length + SCHEMA_WORK
  if (type === 'levenshtein') return Math.max(length, (length * wanted.length) / 32)
  if (type !== 'regex') return length
  const repeats = [...wanted.matchAll(/\{(\d{1,4})/g)].reduce((most, [, count]) => Math.max(most, Number(count)), 1)
  return length + wanted.length * repeats
}

const SCHEMA_WORK = 200_001

function assertFault(one: EvalCase, assert: Assert): { field: string; message: string; type?: string } | null {
  const { type, value } = assert
  const wanted = value ?? one.expected
  if (type === 'max-ms' && one.ms === undefined) return { field: 'type', message: 'needs `ms` in its case' }
  if (type !== 'is-json' && wanted === undefined) return { field: 'value', message: 'is needed here or as `expected`' }
  if ((type === 'number-close' || type === 'max-ms') && !Number.isFinite(Number(wanted)))
    return { field: 'value', message: 'must be a number' }
  if (type === 'regex') return patternFault(String(wanted))
  if (type === 'is-json' && assert.schema !== undefined) return schemaFault(assert.schema)
  return null
}

function patternFault(pattern: string) {
  try {
    RE2JS.compile(pattern)
    return null
  } catch (error) {
    const message = `is not a linear-time pattern: ${(error as Error).message}`
    return { field: 'value', message, type: 'unsupported_regex' }
  }
}

function schemaFault(schema: JsonSchema) {
  try {
    compileSchema(schema)
    return null
  } catch (error) {
    return { field: 'schema', message: `is not a schema that can be used: ${(error as Error).message}`.slice(0, 300) }
  }
}

function checkJson(output: string, schema: Assert['schema']): AssertOutcome {
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch {
    return yesNo(false, 'must be JSON')
  }
  if (schema === undefined) return yesNo(true, 'must be JSON')
  try {
    const validate = compileSchema(schema)
    const valid = validate(value)
    const [fault] = validate.errors ?? []
    return yesNo(
      valid,
      fault === undefined ? 'must fit the schema' : `${fault.instancePath || '/'} ${fault.message}`.slice(0, 200),
    )
  } catch {
    // A schema that refers to itself without end.
    return yesNo(false, 'the schema could not be evaluated')
  }
}

/** Overlap of grams of lower-cased words, each counted as often as it occurs in both. */
function rouge(candidate: string, reference: string, n: number) {
  const [found, wanted] = [grams(candidate, n), grams(reference, n)]
  let overlap = 0
  for (const [gram, count] of found) overlap += Math.min(count, wanted.get(gram) ?? 0)
  const share = (counts: Map<string, number>) => overlap / Math.max(1, total(counts))
  const [precision, recall] = [share(found), share(wanted)]
  return { precision, recall, f1: overlap === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}

function grams(text: string, n: number): Map<string, number> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const counts = new Map<string, number>()
  for (let at = 0; at + n <= words.length; at += 1) {
    const gram = words.slice(at, at + n).join(' ')
    counts.set(gram, (counts.get(gram) ?? 0) + 1)
  }
  return counts
}

const total = (counts: Map<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0)

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
