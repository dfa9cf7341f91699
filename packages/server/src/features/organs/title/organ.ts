/** N8 Title: who owns a parcel on the record given, and what must be cured. */
import Type, { type Static } from 'typebox'
import { closed, Nullable, Texts, words } from '../../../domain/wire.ts'
import { InputError } from '../../../errors.ts'
import { once } from '../../../platform/once.ts'
import { fitting, type Organ, op, type RequestFault } from '../organ.ts'
import { STATUTES } from './priority.ts'
import { compareTimes, KINDS, partyKey, type WrittenInstrument } from './record.ts'
import { searchTitle } from './search.ts'

const MAX_PARCEL = 64
const MAX_NAMES = 400
const AS_OF = '2026-01-01'

const Id = Type.String({ minLength: 1, maxLength: 64 })
const Time = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2})?)?$',
  description: 'a day, or a time of day where it matters: 2020-05-17, 2020-05-17T10:15',
})
const Names = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }), { minItems: 1, maxItems: 8 })
const Ids = Type.Optional(Type.Array(Id, { maxItems: 32 }))
const InstrumentShape = closed({
  id: Id,
  type: words(KINDS),
  grantor: Names,
  grantee: Names,
  executed: Time,
  recorded: Nullable(Time),
  for_value: Type.Optional(Type.Boolean({ default: true })),
  knew_of: Type.Optional(
    Type.Array(Id, { maxItems: 32, description: 'instruments that the grantee knew of when this one was executed' }),
  ),
  fraction: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,3}(?:/[1-9]\\d{0,3})?$',
      description: 'of the whole parcel; without it, all that the grantors have',
    }),
  ),
  refs: Ids,
})
const Search = closed({
  parcel: Type.String({ minLength: 1, maxLength: MAX_PARCEL }),
  instruments: Type.Optional(
    Type.Array(InstrumentShape, {
      minItems: 1,
      maxItems: 200,
      description: 'of this parcel; without them the parcel is looked up in the sample county',
    }),
  ),
  as_of: Type.Optional({ ...Time, default: AS_OF }),
  years: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 40 })),
  statute: Type.Optional(words(STATUTES, { default: 'race_notice' })),
  root: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'the instrument (its grantees begin), or the party, that the walk starts from',
    }),
  ),
})

const Flag = Type.Boolean()
const Share = Type.String({ description: 'exact' })
const Found = closed({
  verdict: words(['MARKETABLE', 'CURABLE', 'UNMARKETABLE']),
  owners: Type.Array(
    closed({
      ...{ name: Type.String(), fraction: Share, of_record: Flag },
      held_as: words(['root', 'instrument', 'remainder', 'estate']),
    }),
  ),
  fraction_sum: Type.String({ description: 'of the owners that hold by an instrument or from the root' }),
  root: closed({
    ...{ parties: Texts, source: words(['instrument', 'party', 'assumed']) },
    root_of_title: Nullable(Type.String({ description: 'the last conveyance of the whole that is `years` old' })),
  }),
  chain: Type.Array(
    closed({
      ...{ id: Type.String(), type: words(KINDS), from: Texts, to: Texts },
      ...{ executed: Type.String(), recorded: Nullable(Type.String()), passed: Share },
    }),
  ),
  losing_claims: Type.Array(
    closed({
      ...{ id: Type.String(), grantee: Texts, claimed: Share, got: Share },
      ...{ lost_to: Texts, because: Type.String() },
    }),
  ),
  wild_deeds: Type.Array(closed({ id: Type.String(), grantor: Texts, reason: Type.String(), before_root: Flag })),
  breaks: Type.Array(
    closed({
      ...{ id: Type.String(), grantor: Type.String(), carries_title: Flag },
      unrecorded: Nullable(Type.String({ description: 'the instrument that the record lacks, where it is known' })),
    }),
  ),
  open_liens: Type.Array(
    closed({
      ...{ id: Type.String(), type: words(KINDS), holder: Texts, recorded: Nullable(Type.String()) },
      ...{ binds: Flag, why: Type.String(), before_root: Flag },
    }),
  ),
  name_candidates: Type.Array(closed({ names: Texts, likeness: Type.Number() })),
  defects: Type.Array(
    closed({ code: Type.String(), instruments: Texts, cure: Type.String(), fraction: Type.Optional(Share) }),
  ),
  truncated_from: Type.Optional(Type.Integer({ description: 'of the longest list that was cut' })),
})

const OPINION = {
  code: 'NOT_A_TITLE_OPINION',
  detail: 'a computation over the instruments given, by the rules in `assumptions`; only an attorney gives an opinion',
}
const SAMPLE = {
  code: 'SAMPLE_COUNTY',
  detail: 'the instruments are those of an invented county: no recorder was asked',
}
const ASSUMED = {
  code: 'ROOT_ASSUMED',
  detail:
    'no root was named: the walk starts from the party without an earlier instrument whom most of the record follows',
}
const short = (years: number) => ({
  code: 'SHORT_RECORD',
  detail: `no conveyance of the whole on the line of the owners is ${years} years old: what came before the root is unknown`,
})
const later = (count: number) => ({
  code: 'AFTER_AS_OF',
  detail: `${count} instruments were executed after the day of the search`,
})

const county = once(
  async () =>
    (await import('./county.json', { with: { type: 'json' } })).default as unknown as (WrittenInstrument & {
      parcel: string
    })[],
)

export const title: Organ = {
  id: 'N8',
  version: '1.0.0',
  ops: {
    search: op({
      summary: 'The line of title, its owners, rival claims, liens and defects under a recording statute',
      request: Search,
      result: Found,
      isolation: 'inline',
      deadlineMs: 1000,
      maxWork: 40_000,
      estimate: ({ instruments }) => (instruments?.length ?? 1) ** 2,
      check: faultsOf,
      async run({ parcel, instruments, as_of = AS_OF, years = 40, statute = 'race_notice', root }) {
        const found =
          instruments ?? (await county()).filter((one) => one.parcel === parcel).map(({ parcel: _, ...one }) => one)
        if (root !== undefined && found.length > 0 && !isKnown(root, found as WrittenInstrument[]))
          throw new InputError([{ loc: ['body', 'root'], msg: NO_ROOT, type: 'value' }])
        const search = searchTitle({ instruments: found as WrittenInstrument[], as_of, years, statute, root })
        return {
          result: fitted(search.result),
          limits: [
            OPINION,
            ...(instruments === undefined ? [SAMPLE] : []),
            ...(search.isAssumed && found.length > 0 ? [ASSUMED] : []),
            ...(search.isShort ? [short(years)] : []),
            ...(search.later > 0 ? [later(search.later)] : []),
          ],
        }
      },
    }),
  },
  fromPrompt: (prompt) =>
    fitting(prompt.trim(), { field: 'parcel', max: MAX_PARCEL, example: '11-0107' }, (parcel) => ({
      op: 'search',
      parcel,
    })),
  example: {
    request: {
      op: 'search',
      parcel: 'lot-7',
      root: 'Olive Orr',
      statute: 'race_notice',
      instruments: [
        {
          ...{ id: 'o-a', type: 'deed', grantor: ['Olive Orr'], grantee: ['Adam Ames'] },
          ...{ executed: '2020-03-01', recorded: '2020-06-01' },
        },
        {
          ...{ id: 'o-b', type: 'deed', grantor: ['Olive Orr'], grantee: ['Beth Bly'] },
          ...{ executed: '2020-04-01', recorded: '2020-04-03' },
        },
        {
          ...{ id: 'b-bank', type: 'mortgage', grantor: ['Beth Bly'], grantee: ['Prairie Savings'] },
          ...{ executed: '2020-04-02', recorded: '2020-04-03' },
        },
      ],
    },
    prompt: '11-0107',
  },
  evidence: {
    assumptions: [
      'a later purchaser for value prevails over an earlier conveyance: by race, if recorded first; by notice, if without notice when executed; by race-notice, if both; whoever takes from a protected purchaser is protected as well',
      'for a line of several instruments, recorded first means the moment from which the whole line is on the record',
      'a searcher reads the entries of each grantor from the day on which the grantor acquired until the day of the search, also after a conveyance out; what was recorded before that day is not found',
      'whoever knows of an instrument, or takes by one that recites it, has notice of what it hangs on; a recording on the very day of a purchase counts as notice',
      'grantees of one instrument take equal shares; several grantors give a stated fraction in equal parts; who conveys before acquiring passes on what he acquires later',
      'probate is no purchase, and nothing that a decedent seems to have conveyed after it counts',
    ],
    not_real: ['no recorder, court or survey was asked: the instruments are what the request says they are'],
  },
}

const MAX_RESULT = 200_000
const MAX_EACH = 40

/** Names of 64 letters come back in several lists: where that is too long, the lists are cut and say so. */
function fitted(result: Static<typeof Found>): Static<typeof Found> {
  if (JSON.stringify(result).length <= MAX_RESULT) return result
  const { chain, losing_claims, wild_deeds, breaks, open_liens, defects } = result
  const lists = { chain, losing_claims, wild_deeds, breaks, open_liens, defects }
  const longest = Math.max(...Object.values(lists).map(({ length }) => length))
  const cut = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.slice(0, MAX_EACH)]))
  return { ...result, ...cut, truncated_from: result.truncated_from ?? longest }
}

const NO_ROOT = 'is neither the id of an instrument nor one of the parties'

const isKnown = (
  root: string,
  instruments: readonly Pick<WrittenInstrument, 'id' | 'grantor' | 'grantee'>[],
): boolean =>
  instruments.some(
    ({ id, grantor, grantee }) =>
      id === root || [...grantor, ...grantee].some((name) => partyKey(name) === partyKey(root)),
  )

function faultsOf({ instruments = [], as_of = AS_OF, root }: Static<typeof Search>): RequestFault[] {
  const ids = new Set(instruments.map(({ id }) => id))
  const parties = new Set(instruments.flatMap(({ grantor, grantee }) => [...grantor, ...grantee]).map(partyKey))
  const faults: RequestFault[] = []
  const fault = (place: (string | number)[], message: string) => faults.push({ place, message })
  if (!isTime(as_of)) fault(['as_of'], 'is no day of the calendar')
  if (parties.size > MAX_NAMES)
    fault(['instruments'], `name ${parties.size} parties; at most ${MAX_NAMES} are compared`)
  if (root !== undefined && instruments.length > 0 && !isKnown(root, instruments)) fault(['root'], NO_ROOT)
  const rooted = instruments.find(({ id }) => id === root)
  if (rooted !== undefined && rooted.type !== 'deed' && rooted.type !== 'probate')
    fault(['root'], `${root} conveys no title`)
  const seen = new Set<string>()
  for (const [at, one] of instruments.entries()) {
    const here = (...rest: (string | number)[]) => ['instruments', at, ...rest]
    if (seen.has(one.id)) fault(here('id'), `${one.id} is there twice`)
    seen.add(one.id)
    for (const name of ['executed', 'recorded'] as const)
      if (one[name] !== null && !isTime(one[name])) fault(here(name), 'is no day of the calendar')
    if (one.recorded !== null && compareTimes(one.recorded, one.executed) < 0)
      fault(here('recorded'), 'is before it was executed')
    for (const name of ['refs', 'knew_of'] as const)
      for (const [index, id] of (one[name] ?? []).entries())
        if (!ids.has(id) || id === one.id) fault(here(name, index), `there is no other instrument ${id}`)
    const [top = 1, bottom = 1] = one.fraction?.split('/').map(Number) ?? []
    if (top > bottom) fault(here('fraction'), 'is more than the whole')
  }
  return faults
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isTime(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/[-T:]/).map(Number)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const last = month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0)
  return year > 0 && day >= 1 && day <= last && hour < 24 && minute < 60 && second < 60
}
