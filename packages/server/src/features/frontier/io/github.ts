/** Repositories in the form of the GitHub REST API, asked through the one way out. */
import Type from 'typebox'
import { type Outbound, OutboundFault, type Outcome, type Provider } from '../../../adapters/outbound/contract.ts'
import { provider } from '../../../adapters/outbound/providers.ts'
import { mapLimit } from '../../../platform/map-limit.ts'
import { read } from '../../../platform/shape.ts'
import type { Frontier } from '../contract.ts'
import type { LiveMetadata, RepositoryMetadata } from '../schemas.ts'

export interface GithubSettings {
  enabled: boolean
  token: string | null
  /** The operator's own origin in place of the usual one. */
  origin: string | null
}

const ID = 'github'
const ORIGIN = 'https://api.github.com'
const MAX_BYTES = 2 * 2 ** 20
const DEADLINE_MS = 5_000
const TTL_SECONDS = 900
const AT_ONCE = 6
/** Without a token the API answers 60 requests an hour. */
const ANONYMOUS_PER_DAY = 1_200

export const githubProviders = ({ enabled, token, origin }: GithubSettings): Provider[] =>
  enabled
    ? [
        provider(
          {
            id: ID,
            origins: [ORIGIN],
            maxBytes: MAX_BYTES,
            perDay: token === null ? ANONYMOUS_PER_DAY : null,
            headers: {
              accept: 'application/vnd.github+json',
              'x-github-api-version': '2022-11-28',
              ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            },
          },
          origin,
        ),
      ]
    : []

/** The fields that are read; what else the reply holds is left alone. Whoever answers controls every one of them. */
const Reply = Type.Object({
  full_name: Type.String({ maxLength: 201, pattern: '^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$' }),
  default_branch: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_./+-]+$' }),
  license: Type.Union([
    Type.Object({ spdx_id: Type.Union([Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9.+-]+$' }), Type.Null()]) }),
    Type.Null(),
  ]),
  archived: Type.Boolean(),
  open_issues_count: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  pushed_at: Type.Union([
    Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?Z$' }),
    Type.Null(),
  ]),
})

/** A repository of another name is refused, also where it is the same one renamed: the registry must say what is read. */
const toMetadata =
  (repository: string) =>
  (reply: unknown): RepositoryMetadata => {
    const shaped = read(Reply, reply)
    if (!shaped.ok) throw new OutboundFault('INVALID_SOURCE_SCHEMA')
    const { full_name, default_branch, license, archived, open_issues_count, pushed_at } = shaped.value
    if (full_name.toLowerCase() !== repository.toLowerCase()) throw new OutboundFault('IDENTITY_MISMATCH')
    if (pushed_at !== null && Number.isNaN(Date.parse(pushed_at))) throw new OutboundFault('INVALID_SOURCE_TIMESTAMP')
    return {
      full_name,
      default_branch,
      license: license?.spdx_id ?? null,
      archived,
      open_issues: open_issues_count,
      pushed_at: pushed_at === null ? null : new Date(pushed_at).toISOString(),
    }
  }

export function githubMetadata(
  { enabled, origin }: GithubSettings,
  outbound: Pick<Outbound, 'get'>,
): Frontier['metadata'] {
  if (!enabled)
    return async (names) =>
      byName(
        names,
        names.map(() => unreachable('NOT_CONFIGURED', null)),
      )
  const source = origin ?? ORIGIN
  const limitsFor = (repository: string) => ({
    ...{ normalise: toMetadata(repository), ttlSeconds: TTL_SECONDS, adapterVersion: '1' },
    ...{ maxBytes: MAX_BYTES, deadlineMs: DEADLINE_MS, accept: 'application/vnd.github+json' },
  })
  return async (names, signal) => {
    const whole = new AbortController()
    const late = setTimeout(() => whole.abort(), DEADLINE_MS)
    const both = AbortSignal.any([signal, whole.signal])
    const ask = async (name: string) =>
      both.aborted
        ? unreachable('RESPONSE_DEADLINE', source)
        : toLive(await outbound.get(ID, `/repos/${name}`, {}, limitsFor(name), both), source)
    try {
      return byName(names, await mapLimit(names, AT_ONCE, ask))
    } finally {
      clearTimeout(late)
    }
  }
}

const byName = (names: readonly string[], rows: readonly LiveMetadata[]): Record<string, LiveMetadata> =>
  Object.fromEntries(names.map((name, at) => [name, rows[at]!]))

const unreachable = (reason: string, source: string | null): LiveMetadata => ({
  ...{ mode: 'unreachable', label: 'UNAVAILABLE', reason, source },
  ...{ fetched_at: null, age_seconds: null, value: null },
})

function toLive(outcome: Outcome<RepositoryMetadata>, source: string): LiveMetadata {
  if (!('value' in outcome)) return unreachable(outcome.code, source)
  const { value, fetched_at, age_seconds } = outcome
  const fields = { source, fetched_at, age_seconds, value }
  if (!outcome.ok) return { mode: 'cached', label: 'SAMPLE', reason: outcome.failure.code, ...fields }
  if (outcome.state === 'CACHED') return { mode: 'cached', label: 'SAMPLE', reason: null, ...fields }
  return { mode: 'live', label: 'MEASURED', reason: null, ...fields }
}
