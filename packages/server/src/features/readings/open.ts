/** The part of the composition root that puts the reader of the outside together. */
import { KERNEL_COMMIT } from '@orch/core'
import { DEFAULT_NAMESPACE, LOCAL_OWNER } from '../../access.ts'
import { type Meters, measureOutside } from '../../adapters/telemetry/instrumentation/outgoing.ts'
import type { Config } from '../../config/config.ts'
import { outboundSettings } from '../../config/outbound-settings.ts'
import { ServiceError } from '../../errors.ts'
import { type Operation, pathsOf, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { evidenceLinks } from '../readiness/claims.ts'
import { readConstellation } from './io/constellation-file.ts'
import type { OwnPath } from './io/deployment.ts'
import { type OpenReadings, openReadings } from './io/open.ts'

type Deps = Pick<Ports, 'ledger' | 'background' | 'clock' | 'build'> & {
  log: Parameters<typeof openReadings>[1]['log']
  meters: Meters
}

const GITHUB = 'https://api.github.com'
const HUGGING_FACE = 'https://huggingface.co'

/** `operations` is asked when one of our own paths is called, which is after all of them are mounted. */
export const openOutside = (
  config: Config,
  { build, meters, ...deps }: Deps,
  operations: () => readonly Operation[],
): Promise<OpenReadings> =>
  openReadings(
    { ...sourcesOf(config), builtFrom: undisputedCommit(build) },
    {
      ...deps,
      own: ownPath(operations),
      measure: measureOutside(meters),
    },
  )

/** A commit that the sources of the build disagree about is compared with nothing. */
const undisputedCommit = ({ gitSha, conflicts }: Deps['build']): string | null =>
  conflicts.some(({ field }) => field === 'git_sha') ? null : gitSha.value

const sourcesOf = (config: Config) => ({
  repository:
    config.repo === null
      ? null
      : {
          name: config.repo,
          origin: config.sources.REPO ?? GITHUB,
          token: config.repoToken,
          anchor: KERNEL_COMMIT,
        },
  space: config.space === null ? null : { name: config.space, origin: config.sources.SPACE ?? HUGGING_FACE },
  probe: config.publicProbeUrl,
  spine: config.spineUrl,
  constellation: readConstellation(config.constellationFile),
  spend: config.spendUrl === null ? null : { url: config.spendUrl, token: config.spendToken },
  links: config.evidenceProbe ? evidenceLinks : [],
  intervalMs: config.readinessInterval * 1000,
  shared: config.store === 'postgres',
  outbound: outboundSettings(config),
})

/** A caller without a credential, for our own operations called in process. */
export const NOBODY = {
  params: {},
  query: {},
  body: undefined,
  headers: {},
  caller: { namespace: DEFAULT_NAMESPACE, owner: LOCAL_OWNER, keyId: null, authMode: 'registry', scopes: new Set() },
  requestId: 'in-process',
  inputSource: 'CALLER',
} as const

/** The operation itself and no request: nothing is counted as served, and no limit of a client is used up. */
export const ownPath =
  (operations: () => readonly Operation[]): OwnPath =>
  async (path) => {
    const op = operations().find((one) => one.method === 'GET' && pathsOf(one).includes(path))
    if (op === undefined) return { http_status: 404, body: null }
    try {
      const answer = await op.run({ ...NOBODY, signal: new AbortController().signal } as never)
      return answer instanceof Reply
        ? { http_status: answer.status, body: answer.body }
        : { http_status: 200, body: answer }
    } catch (error) {
      return { http_status: error instanceof ServiceError ? error.status : 500, body: null }
    }
  }
