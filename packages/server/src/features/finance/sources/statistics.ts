/** Series of official statistics in the formats of the BLS public interface and of FRED. */
import type { FredData } from '../../../domain/observation.ts'
import {
  dayOf,
  type Fields,
  given,
  identifierOf,
  listIn,
  objectIn,
  optionalDecimal,
  optionalText,
  required,
  requireSame,
  SourceFault,
  textOf,
} from './fields.ts'
import { listData } from './lists.ts'
import { integer, moment, refuseParameter, text } from './parameters.ts'
import type { Plan, Source } from './source.ts'

const bls: Source = {
  id: 'bls-series',
  provider: 'BLS',
  ttlSeconds: 3600,
  parameters: { series_id: text('[A-Z0-9_#-]{4,32}', 'CUUR0000SA0', 'CUUR0000SA0') },
  plan: ({ series_id = '' }): Plan => ({
    path: `/publicAPI/v2/timeseries/data/${encodeURIComponent(series_id)}`,
    query: {},
    normalise(reply) {
      const fields = objectIn(reply)
      if (textOf(fields, 'status') !== 'REQUEST_SUCCEEDED') throw new SourceFault('INVALID_SOURCE_SCHEMA')
      const series = listIn(required(objectIn(required(fields, 'Results')), 'series'))
      if (series.length !== 1) throw new SourceFault('INVALID_SOURCE_COLLECTION')
      const only = objectIn(series[0])
      requireSame(required(only, 'seriesID'), series_id)
      const items = listIn(required(only, 'data')).map((row) => toPeriod(objectIn(row)))
      // A series that does not exist is an empty list of this source, and a message that says so.
      const messages = listIn(given(fields, 'message') ?? []).map((message) => textOf({ message }, 'message'))
      return { series_id, messages, ...listData(items, BLS_SCOPE) }
    },
  }),
}

const BLS_SCOPE = 'the periods that the source answers without a key, the newest first'
const ANNUAL_AVERAGES: ReadonlySet<string> = new Set(['M13', 'Q05', 'S03'])

function toPeriod(row: Fields) {
  const period = identifierOf(row, 'period', /^[MQSA]\d\d$/)
  return {
    year: identifierOf(row, 'year', /^\d{4}$/),
    period,
    period_name: optionalText(row, 'periodName'),
    annual_average: ANNUAL_AVERAGES.has(period),
    value: optionalDecimal({ value: required(row, 'value') }, 'value'),
    footnotes: listIn(given(row, 'footnotes') ?? []).flatMap((note) => {
      const fields = objectIn(note)
      const [code, words] = [optionalText(fields, 'code'), optionalText(fields, 'text')]
      return code === null && words === null ? [] : [{ code, text: words }]
    }),
  }
}

const FIRST_DAY = '1776-07-04'

const fred: Source = {
  id: 'fred-series',
  provider: 'FRED',
  ttlSeconds: 3600,
  parameters: {
    series_id: text('[A-Z0-9_]{1,64}', 'GDP', 'GDP'),
    as_of: moment('day', 'today', `the day whose knowledge is asked for, from ${FIRST_DAY} to today`),
    limit: integer(24, 1, 1000),
  },
  plan({ series_id = '', as_of, limit = '' }, now): Plan {
    const latest = new Date(now).toISOString().slice(0, 10)
    const day = as_of ?? dayAtSource(now)
    if (day < FIRST_DAY || day > latest) refuseParameter('as_of', `must be a day from ${FIRST_DAY} to ${latest}`)
    return {
      path: '/fred/series/observations',
      query: { series_id, realtime_start: day, realtime_end: day, sort_order: 'desc', limit, file_type: 'json' },
      normalise: (reply) => toSeries(objectIn(reply), series_id, day, Number(limit)),
    }
  },
}

/** The source refuses a day that has not begun where it stands, and in UTC it begins hours earlier. */
const CALENDAR = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago', dateStyle: 'short' })
const dayAtSource = (now: number): string => CALENDAR.format(now)

/** The reply names no series: the vintage is what it can be held to. */
function toSeries(fields: Fields, series_id: string, as_of: string, limit: number): FredData {
  requireSame(dayOf(fields, 'realtime_start'), as_of)
  requireSame(dayOf(fields, 'realtime_end'), as_of)
  const rows = listIn(required(fields, 'observations')).map((value) => {
    const row = objectIn(value)
    return { date: dayOf(row, 'date'), value: optionalDecimal({ value: required(row, 'value') }, 'value') }
  })
  if (new Set(rows.map(({ date }) => date)).size !== rows.length) throw new SourceFault('INVALID_SOURCE_COLLECTION')
  rows.sort((a, b) => (a.date < b.date ? 1 : -1))
  const units = optionalText(fields, 'units')
  const scope = 'observations as they were known on the day as_of, the newest first'
  return { series_id, as_of, units, ...listData(rows.slice(0, limit), scope) }
}

export const statistics = [bls, fred]
