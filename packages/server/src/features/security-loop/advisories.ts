/** Advisories in the shape of OSV, and which versions of a package they are about. */
import { compare, valid } from 'semver'
import Type, { type Static } from 'typebox'
import { words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'

export const ADVISORIES_SCHEMA = 'orch.advisories-sample/v1'

const Version = Type.String({ minLength: 1, maxLength: 256 })
const Event = Type.Union([
  closed({ introduced: Version }),
  closed({ fixed: Version }),
  closed({ last_affected: Version }),
])
const Affected = closed({
  package: closed({ ecosystem: Type.Literal('npm'), name: Type.String({ minLength: 1, maxLength: 214 }) }),
  // For npm both words mean the same order, that of semantic versions.
  ranges: Type.Array(
    closed({
      type: Type.Union([Type.Literal('SEMVER'), Type.Literal('ECOSYSTEM')]),
      events: Type.Array(Event, { minItems: 1 }),
    }),
  ),
  versions: Type.Optional(Type.Array(Version)),
})
const Instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' })
const Url = Type.String({ pattern: '^https://[^\\s"<>]+$', maxLength: 512 })

const AdvisoryShape = closed({
  id: Type.String({ pattern: '^[A-Z]+-[A-Za-z0-9-]+$', maxLength: 64 }),
  aliases: Type.Array(Type.String()),
  published: Instant,
  modified: Instant,
  withdrawn: Type.Optional(Instant),
  summary: Type.String(),
  severity: words(['LOW', 'MODERATE', 'HIGH', 'CRITICAL']),
  affected: Type.Array(Affected, { minItems: 1 }),
  source: closed({
    url: Url,
    database: Type.String(),
    path: Type.String(),
    commit: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  }),
})
export type Advisory = Static<typeof AdvisoryShape>

/** What the committed sample holds; entries without a source do not fit. */
export const AdvisorySample = closed({
  snapshot_date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
  snapshot_note: Type.String(),
  complete: Type.Literal(false),
  attribution: Type.String(),
  advisories: Type.Array(AdvisoryShape, { minItems: 1 }),
})
export type AdvisorySample = Static<typeof AdvisorySample>

/** One stretch of versions: from `introduced` on, up to and without `fixed`, or up to and with `last`. */
interface Stretch {
  introduced: string
  fixed: string | null
  last: string | null
}

interface Affect {
  range: string
  fixed_in: string | null
}

const isBelow = (a: string, b: string): boolean => compare(a, b) < 0

/** Versions are ordered as semantic versions are, prereleases below their release: a prerelease of the fixed version does
 *  not have the fix. What is no semantic version is affected only where it is listed by itself. */
export function affectedBy(advisory: Advisory, name: string, version: string): Affect | null {
  if (advisory.withdrawn !== undefined) return null
  const own = advisory.affected.filter((one) => one.package.name === name)
  if (own.some(({ versions }) => versions?.includes(version))) return { range: `=${version}`, fixed_in: null }
  const exact = valid(version)
  if (exact === null) return null
  const hit = own.flatMap(({ ranges }) => ranges.flatMap(({ events }) => stretches(events))).find(holds(exact))
  return hit === undefined ? null : { range: rangeText(hit), fixed_in: hit.fixed }
}

const holds =
  (version: string) =>
  ({ introduced, fixed, last }: Stretch): boolean => {
    if (introduced !== '0' && isBelow(version, introduced)) return false
    if (fixed !== null) return isBelow(version, fixed)
    return last === null || !isBelow(last, version)
  }

/** The events of a range in the order of their versions; each `introduced` opens a stretch that the next end closes. */
function stretches(events: readonly Static<typeof Event>[]): Stretch[] {
  const found: Stretch[] = []
  for (const event of [...events].sort(byVersion)) {
    const open = found.at(-1)
    if ('introduced' in event) found.push({ introduced: event.introduced, fixed: null, last: null })
    else if (open !== undefined && open.fixed === null && open.last === null)
      found[found.length - 1] =
        'fixed' in event ? { ...open, fixed: event.fixed } : { ...open, last: event.last_affected }
  }
  return found
}

const versionOf = (event: Static<typeof Event>): string =>
  'introduced' in event ? event.introduced : 'fixed' in event ? event.fixed : event.last_affected

function byVersion(a: Static<typeof Event>, b: Static<typeof Event>): number {
  const [left, right] = [versionOf(a), versionOf(b)]
  if (left === '0' || right === '0') return Number(right === '0') - Number(left === '0')
  return compare(left, right)
}

const rangeText = ({ introduced, fixed, last }: Stretch): string =>
  [
    introduced === '0' ? '>=0.0.0-0' : `>=${introduced}`,
    ...(fixed === null ? [] : [`<${fixed}`]),
    ...(last === null ? [] : [`<=${last}`]),
  ].join(' ')

/** Whether every version that the advisory names can be ordered at all. */
export const isOrdered = ({ affected }: Advisory): boolean =>
  affected.every(({ ranges }) =>
    ranges.every(({ events }) => events.map(versionOf).every((one) => one === '0' || valid(one) !== null)),
  )
