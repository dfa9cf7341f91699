/** What a schema cannot say of a panel: dates that exist, years that belong together, names that stand once. */
import { InputError } from '../../../../errors.ts'
import { signOf } from './robustness.ts'
import { type AuditBody, MAX_CELLS, MAX_YEARS } from './schemas.ts'

type Faults = InputError['detail']
type Place = Faults[number]['loc']

const MAX_FAULTS = 32

/** Throws with every fault, at most 32 of them. */
export function checkPanel(body: AuditBody): void {
  const faults: Faults = []
  const refuse = (loc: Place, msg: string, type = 'value') => {
    if (faults.length < MAX_FAULTS) faults.push({ loc: ['body', ...loc], msg, type })
  }
  const date = (loc: Place, text: string | undefined) => {
    if (text !== undefined && !isDate(text)) refuse(loc, 'must be a day of the calendar', 'date')
  }
  const url = (loc: Place, text: string | undefined) => {
    if (text !== undefined && !isPlainUrl(text)) refuse(loc, 'must be an http or https URL without credentials', 'url')
  }
  date(['as_of'], body.as_of)
  url(['source_url'], body.source_url)
  for (const [at, record] of body.records.entries()) {
    date(['records', at, 'available_at'], record.available_at)
    url(['records', at, 'source_url'], record.source_url)
  }
  checkGrid(body, refuse)
  checkSpecifications(body, refuse)
  if (faults.length > 0) throw new InputError(faults)
}

type Refuse = (loc: Place, msg: string, type?: string) => void

function checkGrid({ expected_entities: entities, start_year: start, end_year: end }: AuditBody, refuse: Refuse): void {
  for (const at of repeated(entities ?? [])) refuse(['expected_entities', at], 'must stand once in the list', 'unique')
  if ((start === undefined) !== (end === undefined)) {
    const absent = start === undefined ? 'start_year' : 'end_year'
    refuse([absent], 'must be sent with the other year, or neither of them', 'missing')
    return
  }
  if (start === undefined || end === undefined) return
  if (end < start) refuse(['end_year'], `must be at least start_year, which is ${start}`)
  else if (end - start + 1 > MAX_YEARS) refuse(['end_year'], `must span at most ${MAX_YEARS} years with start_year`)
  else if ((end - start + 1) * (entities?.length ?? 0) > MAX_CELLS)
    refuse(['expected_entities'], `must give at most ${MAX_CELLS} cells of entity and year`)
}

function checkSpecifications({ specifications = [] }: AuditBody, refuse: Refuse): void {
  for (const at of repeated(specifications.map(({ label }) => label)))
    refuse(['specifications', at, 'label'], 'must differ from the labels before it', 'unique')
  for (const [at, { standard_error: error, n, clusters }] of specifications.entries()) {
    if (error !== undefined && signOf(error) < 0)
      refuse(['specifications', at, 'standard_error'], 'must be a number of at least 0')
    if (n !== undefined && clusters !== undefined && clusters > n)
      refuse(['specifications', at, 'clusters'], `must be at most n, which is ${n}`)
  }
}

/** Where a text stands that stood before. */
function repeated(texts: readonly string[]): number[] {
  const seen = new Set<string>()
  return texts.flatMap((text, at) => (seen.size === seen.add(text).size ? [at] : []))
}

/** `Date` reads the 30th of February as a day of March. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00.000Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false
  const { username, password, host } = new URL(text)
  return username === '' && password === '' && host !== ''
}
