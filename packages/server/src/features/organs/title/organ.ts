/** N8 Title: who owns a parcel on the record given, and what must be cured. */
import type { Static } from 'typebox'
import { InputError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { once } from '../../../platform/once.ts'
import { fitting, type Organ, op, type RequestFault } from '../organ.ts'
import { compareTimes, partyKey } from './instruments.ts'
import { searchTitle } from './search.ts'
import { AS_OF, Found, MAX_PARCEL, Search, type WrittenInstrument } from './shapes.ts'

const MAX_NAMES = 400
const DEADLINE_MS = 5_000
/** Parties named in all instruments, each as often as it is. */
const MAX_INLINE = 60

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

const isHeavy = (instruments: readonly Pick<WrittenInstrument, 'grantor' | 'grantee'>[]): boolean =>
  instruments.reduce((sum, { grantor, grantee }) => sum + grantor.length + grantee.length, 0) > MAX_INLINE

export const title = ({ compute }: { compute: Pick<Compute, 'register'> }): Organ => {
  const searching = compute.register<Parameters<typeof searchTitle>[0], ReturnType<typeof searchTitle>>({
    ...{ name: 'organ-n8-search', module: new URL('./search.ts', import.meta.url), function: 'searchTitle' },
    deadlineMs: DEADLINE_MS - 500,
  })
  return {
    id: 'N8',
    version: '1.1.0',
    ops: {
      search: op({
        summary: 'The line of title, its owners, rival claims, liens and defects under a recording statute',
        request: Search,
        result: Found,
        isolation: `worker where more than ${MAX_INLINE} parties are named, else inline`,
        deadlineMs: DEADLINE_MS,
        maxWork: 40_000,
        estimate: ({ instruments }) => (instruments?.length ?? 1) ** 2,
        check: faultsOf,
        async run({ parcel, instruments, as_of = AS_OF, years = 40, statute = 'race_notice', root }, { job }) {
          const found =
            instruments ?? (await county()).filter((one) => one.parcel === parcel).map(({ parcel: _, ...one }) => one)
          if (root !== undefined && found.length > 0 && !isKnown(root, found))
            throw new InputError([{ loc: ['body', 'root'], msg: NO_ROOT, type: 'value' }])
          const asked = {
            instruments: found,
            as_of,
            years,
            statute,
            ...(root === undefined ? {} : { root }),
          }
          const search = isHeavy(found) ? await job(searching, asked) : searchTitle(asked)
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
        'of two instruments whose dates do not tell which was first, the one that knows of the other or recites it is the later, and what closes together follows the line; where the order still decides, nothing is decided',
        'for a line of several instruments, recorded first means the moment from which the whole line is on the record',
        'a searcher reads the entries of each grantor from the day on which the grantor acquired until the day of the search, also after a conveyance out; what was recorded before that day is not found',
        'whoever knows of an instrument, or takes by one that recites it, has notice of what it hangs on; whether a recording on the very day of a purchase gave notice no date tells',
        'grantees of one instrument take equal shares; several grantors give a stated fraction in equal parts; who conveys or encumbers before acquiring passes on, or burdens, what he acquires later, and so does who sold twice and buys back',
        'probate is no purchase, and nothing that a decedent seems to have conveyed after it counts',
      ],
      not_real: ['no recorder, court or survey was asked: the instruments are what the request says they are'],
    },
  }
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
