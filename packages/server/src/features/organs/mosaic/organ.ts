/** N4 Mosaic: joins sources by one SELECT, shows what each column comes from, and stops on data that breaks its rules. */
import { InputError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { ComputeError } from '../../../platform/compute/job.ts'
import { type NeedsInput, type Organ, type Outcome, op, type RequestFault } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import type { BuildAnswer } from './io/build.ts'
import { EXAMPLE_SQL, mosaicPrompt, unread } from './prompt.ts'
import { Build, type BuildRequest, Built, type Expectation, type Source } from './shapes.ts'
import { refusalOf, tokensOf } from './tokens.ts'

const VERSION = '1.0.1'
const DEADLINE_MS = 3000
const MAX_COLUMNS = 100

type Job = { request: BuildRequest; stream: { organ: string; version: string; op: string; seed: number } }

const PARTIAL: Limit = {
  code: 'LINEAGE_PARTIAL',
  detail:
    'a lineage is null where a column comes from what was not followed: a table function, a row id or too many steps',
}
const CUT: Limit = {
  code: 'ROWS_TRUNCATED',
  detail: 'the first rows are shown, at most 200 and 128 KiB; checks and counts are of all',
}

const ROUNDED: Limit = {
  code: 'ROUNDED',
  detail: 'fractions in rows are shown to six places; the query and the checks saw all of their digits',
}
const isRounded = (cell: unknown): boolean => typeof cell === 'number' && Number(cell.toFixed(6)) !== cell

export function mosaic({ compute }: { compute: Compute }): Organ {
  const job = compute.register<Job, BuildAnswer>({
    name: 'organ-mosaic-build',
    module: new URL('./io/build.ts', import.meta.url),
    function: 'build',
    deadlineMs: DEADLINE_MS,
  })
  return {
    id: 'N4',
    version: VERSION,
    ops: {
      build: op({
        summary:
          'Joins sources by one SELECT or on keys, with the lineage of each column and checks that stop bad data',
        request: Build,
        result: Built,
        isolation:
          'SQLite in WebAssembly in a worker, a fresh database for each run; killed from outside at the deadline',
        deadlineMs: DEADLINE_MS,
        maxWork: 30_000_000,
        usesSeed: true,
        estimate: workOf,
        check: faultsOf,
        async run(request, { job: runJob, seed, form }) {
          const stream = { organ: 'N4', version: VERSION, op: 'build', seed }
          const answer = await runJob(job, { request, stream })
          if ('limit' in answer) throw new ComputeError('memory_exceeded', 'the query takes more memory than it may')
          if ('fault' in answer) {
            const { place, message, type } = answer.fault
            // Free text that only began like a query is no fault of a field.
            if (form === 'prompt') return needing(unread(request.sql!, message)) as never
            throw new InputError([{ loc: ['body', ...place], msg: message, type }])
          }
          const { result } = answer
          const isPartial = result.columns.some(({ lineage }) => lineage === null)
          return {
            result,
            status: result.blocked ? 'DENIED' : 'EXECUTED',
            limits: [
              ...(isPartial ? [PARTIAL] : []),
              ...(result.rows_truncated_from === null ? [] : [CUT]),
              ...(result.rows.some((row) => row.some(isRounded)) ? [ROUNDED] : []),
            ],
          }
        },
      }),
    },
    fromPrompt: mosaicPrompt,
    example: {
      request: {
        op: 'build',
        sources: [
          { name: 'orders', generator: { kind: 'orders', rows: 200 } },
          { name: 'customers', generator: { kind: 'people', rows: 60 } },
        ],
        sql: 'SELECT c.city, count(*) AS orders, round(sum(o.amount), 2) AS total FROM orders o JOIN customers c ON c.person_id = o.customer_id GROUP BY c.city ORDER BY c.city',
        expectations: [
          { type: 'unique', column: 'city' },
          { type: 'range', column: 'total', min: 0 },
          { type: 'row_count', min: 1, max: 6 },
        ],
      },
      prompt: EXAMPLE_SQL,
    },
    evidence: {
      assumptions: [
        'SQLite 3.54 in memory over a copy of the sources; its clock stands at 2026-01-01T00:00:00Z in UTC, and random() is refused',
        'lineage follows the select list through aliases, common tables and sub-selects; conditions, groups and orders are not in it',
        'a null meets every expectation but not_null; unique counts the rows after the first with the same value',
        'key_match_rate: the share of the distinct keys of the first source that every other source has',
      ],
      not_real: ['no warehouse, file or network was read; generated rows are made up'],
    },
  }
}

const needing = ({ understood, missing }: NeedsInput): Outcome => ({
  status: 'NEEDS_INPUT',
  result: { understood, missing },
})

const rowsIn = ({ rows, generator }: Source): number => rows?.length ?? generator?.rows ?? 0

function workOf({ sources }: BuildRequest): number {
  const [first = 0, second = 1] = sources.map(rowsIn).toSorted((one, other) => other - one)
  return first * second + sources.reduce((sum, source) => sum + rowsIn(source), 0)
}

const lower = (name: string): string => name.toLowerCase()
/** Columns of a source that are known before anything is generated; null of a generator. */
const columnsOf = ({ rows }: Source): string[] | null =>
  rows === undefined ? null : [...new Set(rows.flatMap((row) => Object.keys(row)))]

function faultsOf({ sources, sql, keys, expectations = [] }: BuildRequest): RequestFault[] {
  const faults: RequestFault[] = sources.flatMap((source, at) => sourceFaults(source, at, sources))
  const fault = (place: (string | number)[], message: string, type?: string) =>
    faults.push({ place, message, ...(type === undefined ? {} : { type }) })
  if (sql === undefined && keys === undefined) fault(['sql'], 'or keys must be given', 'missing')
  if (sql !== undefined) {
    const refusal = sql.includes('\0') ? 'holds a character that ends it' : refusalOf(tokensOf(sql))
    if (refusal !== null) fault(['sql'], refusal, 'sql')
  }
  for (const [at, key] of (keys ?? []).entries()) {
    if (keys!.findIndex((other) => lower(other) === lower(key)) < at) fault(['keys', at], 'is there twice')
    for (const source of sources)
      if (columnsOf(source)?.some((column) => lower(column) === lower(key)) === false)
        fault(['keys', at], `is no column of ${source.name}`)
  }
  for (const [at, expectation] of expectations.entries()) faults.push(...expectationFaults(expectation, at, sources))
  return faults.slice(0, 32)
}

/** The last digits of such a number were lost when it was read. */
const isInexact = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value)

function sourceFaults(source: Source, at: number, all: readonly Source[]): RequestFault[] {
  const place = ['sources', at]
  const faults: RequestFault[] = []
  if ((source.rows === undefined) === (source.generator === undefined))
    faults.push({ place: [...place, 'rows'], message: 'give either rows or generator' })
  if (all.findIndex(({ name }) => lower(name) === lower(source.name)) < at)
    faults.push({ place: [...place, 'name'], message: 'is the name of an earlier source' })
  if (/^(?:sqlite|pragma)_/i.test(source.name))
    faults.push({ place: [...place, 'name'], message: 'is a name that SQLite keeps for itself' })
  const inexact = source.rows?.flatMap((row, index) =>
    Object.entries(row).flatMap(([column, value]) => (isInexact(value) ? [[...place, 'rows', index, column]] : [])),
  )
  for (const cell of inexact ?? [])
    faults.push({ place: cell, message: 'is no exact number beyond 2^53 - 1: send it as text' })
  const columns = columnsOf(source) ?? []
  if (columns.length > MAX_COLUMNS)
    faults.push({ place: [...place, 'rows'], message: `must have at most ${MAX_COLUMNS} columns` })
  if (source.rows !== undefined && columns.length === 0)
    faults.push({ place: [...place, 'rows'], message: 'must have at least one column' })
  if (new Set(columns.map(lower)).size < columns.length)
    faults.push({ place: [...place, 'rows'], message: 'has columns that differ in their case alone' })
  return faults
}

/** What each expectation needs, beside its type. */
const NEEDS: Readonly<Record<Expectation['type'], readonly (keyof Expectation)[]>> = {
  not_null: ['column'],
  unique: ['column'],
  range: ['column', 'min', 'max'],
  regex: ['column', 'pattern'],
  row_count: ['min', 'max'],
  foreign_key: ['column', 'references'],
}

function expectationFaults(expectation: Expectation, at: number, sources: readonly Source[]): RequestFault[] {
  const { type, min, max, references } = expectation
  const place = (field: string) => ['expectations', at, field]
  const needs = NEEDS[type]
  const isBound = (field: string) => field === 'min' || field === 'max'
  const lacking = needs.filter((field) => !isBound(field) && expectation[field] === undefined)
  const surplus = Object.keys(expectation).filter(
    (field) => field !== 'type' && !needs.includes(field as keyof Expectation),
  )
  return [
    ...lacking.map((field) => ({ place: place(field), message: `is needed by ${type}`, type: 'missing' })),
    ...surplus.map((field) => ({ place: place(field), message: `is no field of ${type}`, type: 'extra_forbidden' })),
    ...(needs.includes('min') && min === undefined && max === undefined
      ? [{ place: place('min'), message: 'or max is needed', type: 'missing' }]
      : []),
    ...(min !== undefined && max !== undefined && min > max
      ? [{ place: place('max'), message: 'must not be below min' }]
      : []),
    ...(references !== undefined && !sources.some(({ name }) => lower(name) === lower(references.source))
      ? [{ place: [...place('references'), 'source'], message: 'is no source of this request' }]
      : []),
  ]
}
