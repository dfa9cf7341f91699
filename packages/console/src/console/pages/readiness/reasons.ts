/** Why the service is not all well: what blocks, what could not be read and what has drifted, in that order. */
import type { Reply } from '@orch/client'
import { partName, partWords, type Report } from './parts.tsx'

export type Panel = Reply<'readiness.panel'>
export type Health = Reply<'runtime.health'>
export type Mode = Panel['sections'][2]['mode']

export interface Reason {
  kind: 'blocks' | 'unread' | 'drifted'
  title: string
  text: string
  /** What was read, and as what and when. */
  source: string
  label: string
  at: string | null
  /** Not configured, so nothing was asked. */
  isUntried?: boolean
}

/** The word of the badge for how a value was read. */
export const modeLabel = (mode: Mode): string => (mode === 'live' ? 'LIVE' : mode)

const SIGNERS = {
  DEMO: [
    'Blocks production: the signer is a demo key',
    'Set ORCH_SIGNER=external, ORCH_SIGNER_URL and ORCH_SIGNER_PUBLIC_KEY. Receipts signed until then say demo for good.',
  ],
  UNSIGNED: [
    'Blocks production: receipts are unsigned',
    'No key is configured. Set ORCH_SIGNER=external, ORCH_SIGNER_URL and ORCH_SIGNER_PUBLIC_KEY.',
  ],
  UNAVAILABLE: [
    'Blocks: the key does not sign',
    'The last test of the signer failed. Look at the service behind ORCH_SIGNER_URL.',
  ],
} as const

export function reasonsOf(health: Health, label: string | null, panel: Panel, report: Report): Reason[] {
  return [...blocking(health, label ?? '', report), ...unread(panel), ...drifted(panel)]
}

function blocking({ signer, ledger, ts }: Health, label: string, { components, draining }: Report): Reason[] {
  const reason = (source: string, title: string, text: string): Reason => ({
    kind: 'blocks',
    title,
    text,
    source,
    label,
    at: ts,
  })
  const broken = Object.entries(components)
    .filter(([, { state }]) => state !== 'OK')
    .toSorted(([, a], [, b]) => Number(b.blocking) - Number(a.blocking))
  const found = broken.map(([name, part]) =>
    reason(
      partName(name),
      `${part.state === 'UNKNOWN' ? 'Not known' : 'Fails'}: ${partName(name)}`,
      `${partWords(name, part)}${part.blocking ? '' : ' The service decides without it.'}`,
    ),
  )
  if (draining)
    found.unshift(reason('service', 'Stopping', 'It finishes what it began and takes nothing new. Start it again.'))
  if (signer.status !== 'LIVE') {
    const [title, text] = SIGNERS[signer.status]
    found.push(reason('signer', title, text))
  }
  if (ledger.mode === 'EPHEMERAL')
    found.push(
      reason(
        'ledger',
        'Blocks production: the ledger is in memory',
        'Set ORCH_STORE=sqlite or postgres. What is recorded now ends with the process.',
      ),
    )
  if (found.length === 0 && !ledger.production_ready)
    found.push(
      reason(
        'service',
        'Blocks production: not verified yet',
        'The service does not call itself ready for production.',
      ),
    )
  return found
}

/** What has to be set for a section to be read. */
export const SETTINGS = { repo: 'ORCH_REPO', space: 'ORCH_SPACE' } as const

export const isUnconfigured = ({ fields }: Panel['sections'][2 | 3]): boolean =>
  fields.every(({ v, reason }) => v === null && reason === 'NOT_CONFIGURED')

function unread({ sections: [deployment, , repo, space] }: Panel): Reason[] {
  const endpoints = deployment.endpoints.flatMap(({ title, liveness }): Reason[] => {
    if (liveness.reachable) return []
    const { http_status, last_error, reason, checked_at, mode } = liveness
    const why = last_error ?? reason ?? (http_status === 0 ? 'nothing was read' : `it answered ${http_status}`)
    return [
      {
        kind: 'unread',
        title: `Not reached: ${title.toLowerCase()}`,
        text: `${liveness.url}: ${why}. It is not counted.`,
        source: 'endpoint',
        label: modeLabel(mode),
        at: checked_at,
      },
    ]
  })
  const outside = [repo, space].flatMap((section): Reason[] => {
    const { id, mode, last_error, fetched_at } = section
    const title = section.title.toLowerCase()
    const read = { kind: 'unread', source: title, label: modeLabel(mode), at: fetched_at } as const
    if (isUnconfigured(section))
      return [
        {
          ...read,
          isUntried: true,
          title: `Not configured: ${title}`,
          text: `Set ${SETTINGS[id]} and it is read and compared.`,
        },
      ]
    if (last_error !== null)
      return [
        {
          ...read,
          title: `Not read: ${title}`,
          text: `The newest attempt failed: ${last_error}. ${
            fetched_at === null ? 'Nothing was read before.' : 'What is shown is the last good reading.'
          }`,
        },
      ]
    return mode === 'unreachable' ? [{ ...read, title: `Not read: ${title}`, text: 'Nothing was read yet.' }] : []
  })
  return [...endpoints, ...outside]
}

function drifted({ sections: [, , repo, , parity] }: Panel): Reason[] {
  const { build, release, hosted_space: space } = parity
  const reason = (source: string, title: string, text: string, from: { mode: Mode; fetched_at: string | null }) => ({
    kind: 'drifted' as const,
    title,
    text,
    source,
    label: modeLabel(from.mode),
    at: from.fetched_at,
  })
  const found: Reason[] = []
  if (build.status !== 'current' && build.status !== 'unknown')
    found.push(reason('build', `Drifted: the build is ${build.status}`, `${build.detail}.`, build))
  if (release.status === 'drift')
    found.push(
      reason(
        'release',
        'Drifted: release',
        `Running ${release.deployed_version}, the newest tag is ${release.latest_release_tag}.`,
        release,
      ),
    )
  if (space.status === 'drift')
    found.push(
      reason('hosted space', 'Drifted: hosted space', 'The space runs another commit than the one deployed.', space),
    )
  const { conclusion } = repo.ci
  if (conclusion !== null && conclusion !== 'success')
    found.push(reason('CI', `Drifted: CI ended as ${conclusion}`, `${repo.ci.name ?? 'The newest run'}.`, repo.ci))
  return found
}

interface Headline {
  tone: 'good' | 'open' | 'bad'
  shape: string
  title: string
}

/** Good only when nothing blocks, everything was read and nothing has drifted. */
export function headlineOf(
  { status, signer, ledger }: Health,
  reasons: readonly Reason[],
  { ready, blocking_components }: Report,
): Headline {
  if (!ready && blocking_components.length > 0)
    return { tone: 'bad', shape: 'cross', title: `Not ready: ${blocking_components.map(partName).join(', ')}` }
  if (!ready) return { tone: 'bad', shape: 'cross', title: 'Not ready: it is stopping' }
  if (status === 'failing') return { tone: 'bad', shape: 'cross', title: 'Not ready: a part that it needs fails' }
  const works = signer.signing_available ? 'Decides and signs' : 'Decides, but signs nothing'
  const half = { tone: 'open', shape: 'half' } as const
  if (status === 'degraded') return { ...half, title: `${works}, with a part that fails` }
  if (!ledger.production_ready) return { ...half, title: `${works}, but is not ready for production` }
  if (reasons.length > 0) return { ...half, title: 'Ready, with something unread or drifted' }
  return { tone: 'good', shape: 'live', title: 'Ready for production, and everything was read' }
}

const KINDS = [
  ['blocks', 'thing blocks', 'things block'],
  ['unread', 'was not read', 'were not read'],
  ['drifted', 'has drifted', 'have drifted'],
] as const

/** "1 thing blocks, 2 were not read." */
export function countedWords(reasons: readonly Reason[]): string {
  const parts = KINDS.flatMap(([kind, one, many]) => {
    const count = reasons.filter((reason) => reason.kind === kind).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })
  return parts.length === 0 ? 'Nothing blocks, nothing is unread, nothing has drifted.' : `${parts.join(', ')}.`
}
