/** What runs, beside what should. Two values that were not both read are compared by nobody. */
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { spanOf } from '../../components/time.tsx'
import { type Mode, modeLabel, type Panel } from './reasons.ts'

type Section = Panel['sections']

interface Compared {
  name: string
  runs: string | null
  should: string | null
  words: string
  status: 'same' | 'drift' | 'unknown'
  mode: Mode
  age: number | null
  at: string | null
  isUntried: boolean
}

/** What is not configured, so that nothing of it was asked. */
type Untried = Record<'repo' | 'space', boolean>

const STATES = {
  same: ['=', 'good', 'live', 'SAME'],
  drift: ['≠', 'open', 'warn', 'DRIFT'],
  unknown: ['?', 'none', 'gap', 'UNKNOWN'],
} as const

const SAME = { match: 'same', current: 'same', unknown: 'unknown' } as const
const statusOf = (word: string): Compared['status'] => SAME[word as keyof typeof SAME] ?? 'drift'

function comparisons(
  { build, release, doctrine_anchor: anchor, hosted_space: space }: Section[4],
  own: Section[1],
  isUntried: Untried,
) {
  const [deployed, stated] = [anchor.deployed_kernel_commit, anchor.healthz_commit]
  const ownMode = own.healthz_mode === own.version_mode ? own.healthz_mode : 'cached'
  return [
    {
      name: 'Build',
      runs: build.deployed_git_sha,
      should: build.repo_head_sha,
      words: build.branch ?? 'head',
      status: statusOf(build.status),
      mode: build.mode,
      age: build.age_seconds,
      at: build.fetched_at,
      isUntried: isUntried.repo,
    },
    {
      name: 'Release',
      runs: release.deployed_version,
      should: release.latest_release_tag,
      words: 'newest tag',
      status: statusOf(release.status),
      mode: release.mode,
      age: release.age_seconds,
      at: release.fetched_at,
      isUntried: isUntried.repo,
    },
    {
      name: `Doctrine ${anchor.doctrine ?? ''}`,
      runs: deployed,
      should: stated,
      words: 'liveness record',
      status: deployed === null || stated === null ? 'unknown' : deployed === stated ? 'same' : 'drift',
      mode: ownMode,
      age: own.age_seconds,
      at: own.fetched_at,
      isUntried: false,
    },
    {
      name: 'Hosted space',
      runs: space.deployed_hosted_space_sha,
      should: space.live_hosted_space_sha,
      words: space.stage ?? 'space',
      status: statusOf(space.status),
      mode: space.mode,
      age: space.age_seconds,
      at: space.fetched_at,
      isUntried: isUntried.space,
    },
  ] satisfies Compared[]
}

const Value = ({ value, empty, children }: { value: string | null; empty: string; children: ReactNode }) =>
  value === null ? (
    <span className="quiet">{empty}</span>
  ) : (
    <span>
      <span className="mono" title={value}>
        {/^[0-9a-f]{20,}$/.test(value) ? value.slice(0, 7) : value}
      </span>{' '}
      {children}
    </span>
  )

function Row({ name, runs, should, words, status, mode, age, at, isUntried }: Compared) {
  const [sign, tone, shape, word] = STATES[status]
  // Equal when it was last read is not equal now.
  const isOld = status === 'same' && mode !== 'live'
  return (
    <div className={`pair ${isOld ? 'open' : tone}`} data-parity={status}>
      <span>{name}</span>
      <Value value={runs} empty="not read">
        deployed
      </Value>
      <span className="sign" aria-hidden="true">
        {sign}
      </span>
      <Value value={should} empty={isUntried ? 'not configured' : 'not read'}>
        {words}
      </Value>
      <span className="ends">
        <span className={`status ${isOld ? 'open' : tone}`}>
          <Icon name={isOld ? 'cached' : shape} />
          {isOld ? `SAME ${age === null ? 'BEFORE' : `${spanOf(age).toUpperCase()} AGO`}` : word}
        </span>
        <Badge label={modeLabel(mode)} source="both sides" at={at} isUntried={isUntried} />
      </span>
    </div>
  )
}

interface ParityProps {
  section: Section[4]
  identity: Section[1]
  isUntried: Untried
}

export const Parity = ({ section, identity, isUntried }: ParityProps) => (
  <section className="card" aria-labelledby="parity-title">
    <div className="card-head">
      <h2 id="parity-title">Parity</h2>
      <span className="quiet small right">what runs, beside what should</span>
    </div>
    <div className="card-body">
      <div>
        {comparisons(section, identity, isUntried).map((compared) => (
          <Row key={compared.name} {...compared} />
        ))}
      </div>
    </div>
  </section>
)
