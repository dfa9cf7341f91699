/** Filings and reported facts in the format of the SEC's EDGAR data interface. */
import type { Members } from '../../../adapters/outbound/contract.ts'
import type { FactsData } from '../../../domain/observation.ts'
import { CIK_PATTERN } from '../../../domain/observation.ts'
import {
  dayOf,
  decimalOf,
  type Fields,
  given,
  identifierOf,
  integerIn,
  listIn,
  objectIn,
  optionalDay,
  optionalInstant,
  optionalInteger,
  optionalText,
  required,
  requireSame,
  SourceFault,
  textOf,
} from './fields.ts'
import { listData } from './lists.ts'
import { integer, text } from './parameters.ts'
import type { Plan, Source } from './source.ts'

const PARAMETERS = {
  cik: text({ pattern: CIK_PATTERN, description: '1 to 10 digits, not all zero', example: '320193' }, '320193'),
  limit: integer(10, 1, 100),
}
const ACCESSION = /^\d{10}-\d{2}-\d{6}$/
const MAX_FILINGS = 100
const MAX_FACTS_PER_UNIT = 20

/** Ten digits, as the paths of the interface have them. */
const padded = (cik: string): string => String(Number(cik)).padStart(10, '0')

/** The reply names the company as a number or as padded digits. */
const requireCompany = (fields: Fields, cik: string): void =>
  requireSame(integerIn(required(fields, 'cik')), Number(cik))

const submissions: Source = {
  id: 'sec-submissions',
  provider: 'SEC',
  ttlSeconds: 900,
  parameters: PARAMETERS,
  plan: ({ cik = '', limit }): Plan => ({
    path: `/submissions/CIK${padded(cik)}.json`,
    query: {},
    normalise(reply) {
      const fields = objectIn(reply)
      requireCompany(fields, cik)
      const recent = objectIn(required(objectIn(required(fields, 'filings')), 'recent'))
      const items = toFilings(recent)
      return { cik: padded(cik), entity: optionalText(fields, 'name'), ...listData(items, FILINGS_SCOPE) }
    },
    select: (data) => firstItems(data as ReturnType<typeof listData>, Number(limit)),
  }),
}
const FILINGS_SCOPE = 'the newest filings of the recent list, which does not reach back to the first'

const COLUMNS = ['accessionNumber', 'filingDate', 'reportDate', 'acceptanceDateTime', 'form', 'primaryDocument']

/** Columns of a table, each a list of its own: they are one table only where all have one length. */
function toFilings(recent: Fields) {
  const columns = COLUMNS.map((name) => listIn(required(recent, name)))
  const lengths = Object.values(recent)
    .filter(Array.isArray)
    .map(({ length }) => length)
  if (new Set(lengths).size > 1) throw new SourceFault('INVALID_SOURCE_COLLECTION')
  const rows = columns[0]!.map((_, at) =>
    Object.fromEntries(COLUMNS.map((name, column) => [name, columns[column]![at]])),
  )
  return rows
    .map((row) => ({
      accession: identifierOf(row, 'accessionNumber', ACCESSION),
      filing_date: dayOf(row, 'filingDate'),
      report_date: optionalDay(row, 'reportDate'),
      accepted_at: optionalInstant(row, 'acceptanceDateTime'),
      form: textOf(row, 'form'),
      primary_document: optionalText(row, 'primaryDocument'),
    }))
    .sort((a, b) => newestFirst(a.filing_date, b.filing_date))
    .slice(0, MAX_FILINGS)
}

const newestFirst = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0)

const firstItems = <Data extends { items: unknown[]; count: number }>(data: Data, limit: number): Data => {
  const items = data.items.slice(0, limit)
  return { ...data, items, count: items.length }
}

/** The concepts a company's year is read from. */
const CONCEPTS: readonly (readonly [taxonomy: string, concepts: readonly string[]])[] = [
  [
    'us-gaap',
    [
      'RevenueFromContractWithCustomerExcludingAssessedTax',
      'Revenues',
      'SalesRevenueNet',
      'RevenueFromContractWithCustomerIncludingAssessedTax',
      'NetIncomeLoss',
      'ProfitLoss',
      'Assets',
      'Liabilities',
      'StockholdersEquity',
      'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
    ],
  ],
  ['ifrs-full', ['Revenue', 'ProfitLoss', 'Assets', 'Liabilities', 'Equity']],
]

/** A file has thousands of concepts, and sixteen mebibytes of them. */
const FACTS_MEMBERS: Members = {
  cik: true,
  entityName: true,
  facts: Object.fromEntries(
    CONCEPTS.map(([taxonomy, names]) => [taxonomy, Object.fromEntries(names.map((name) => [name, true] as const))]),
  ),
}

const facts: Source = {
  id: 'sec-companyfacts',
  provider: 'SEC',
  ttlSeconds: 900,
  parameters: PARAMETERS,
  plan: ({ cik = '', limit }): Plan => ({
    path: `/api/xbrl/companyfacts/CIK${padded(cik)}.json`,
    query: {},
    members: FACTS_MEMBERS,
    normalise(reply): FactsData {
      const fields = objectIn(reply)
      requireCompany(fields, cik)
      const reported = objectIn(required(fields, 'facts'))
      const items = CONCEPTS.flatMap(([taxonomy, concepts]) =>
        concepts.flatMap((concept) => toFacts(reported, taxonomy, concept)),
      )
      return { cik: padded(cik), entity: optionalText(fields, 'entityName'), ...listData(items, FACTS_SCOPE) }
    },
    select: (data) => newestPerUnit(data as FactsData, Math.min(Number(limit), MAX_FACTS_PER_UNIT)),
  }),
}
const FACTS_SCOPE =
  'per concept and unit the facts filed last; concepts of revenue, income, assets, liabilities, equity'

type Fact = FactsData['items'][number]

function toFacts(reported: Fields, taxonomy: string, concept: string): Fact[] {
  const concepts = given(reported, taxonomy)
  const found = concepts === null ? null : given(objectIn(concepts), concept)
  if (found === null) return []
  return Object.entries(objectIn(required(objectIn(found), 'units'))).flatMap(([unit, rows]) =>
    listIn(rows)
      .map((row) => toFact(objectIn(row), { taxonomy, concept, unit }))
      .sort((a, b) => newestFirst(a.filed, b.filed) || newestFirst(a.end, b.end))
      .slice(0, MAX_FACTS_PER_UNIT),
  )
}

const toFact = (row: Fields, names: Pick<Fact, 'taxonomy' | 'concept' | 'unit'>): Fact => ({
  ...names,
  value: decimalOf(row, 'val'),
  start: optionalDay(row, 'start'),
  end: dayOf(row, 'end'),
  filed: dayOf(row, 'filed'),
  form: textOf(row, 'form'),
  accession: identifierOf(row, 'accn', ACCESSION),
  fy: optionalInteger(row, 'fy'),
  fp: optionalText(row, 'fp'),
  frame: optionalText(row, 'frame'),
})

function newestPerUnit(data: FactsData, limit: number): FactsData {
  const taken = new Map<string, number>()
  const items = data.items.filter(({ taxonomy, concept, unit }) => {
    const key = `${taxonomy} ${concept} ${unit}`
    const count = (taken.get(key) ?? 0) + 1
    taken.set(key, count)
    return count <= limit
  })
  return { ...data, items, count: items.length }
}

export const sec = [submissions, facts]
