/** Puts the reader of the outside together from the configuration. */
import { KERNEL_COMMIT } from '@orch/core'
import type { Outbound } from '../../adapters/outbound/contract.ts'
import type { Config } from '../../config/config.ts'
import { ServiceError } from '../../errors.ts'
import { type Operation, pathsOf, runInProcess } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import type { OwnPath } from './io/deployment.ts'
import { type OpenReadings, openReadings } from './io/readings.ts'
import { readConstellation } from './io/sources.ts'

type Deps = Pick<Ports, 'ledger' | 'background' | 'clock'> & {
  log: Parameters<typeof openReadings>[1]['log']
  outbound: Outbound
}

const GITHUB = 'https://api.github.com'
const HUGGING_FACE = 'https://huggingface.co'

/** `operations` is called when one of our own paths is, which is after all of them are mounted. */
export const openOutside = (
  settings: ReturnType<typeof readingSettings>,
  deps: Deps,
  operations: () => readonly Operation[],
): Promise<OpenReadings> => openReadings(settings, { ...deps, own: ownPath(operations) })

/** A commit that the sources of the build disagree about is compared with nothing. */
const undisputedCommit = ({ gitSha, conflicts }: Ports['build']): string | null =>
  conflicts.some(({ field }) => field === 'git_sha') ? null : gitSha.value

/** `evidenceLinks`: where the evidence of the readiness claims lies. */
export const readingSettings = (config: Config, build: Ports['build'], evidenceLinks: readonly string[]) => ({
  links: config.evidenceProbe ? evidenceLinks : [],
  builtFrom: undisputedCommit(build),
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
  intervalMs: config.readinessInterval * 1000,
  shared: config.store === 'postgres',
})

const ownPath =
  (operations: () => readonly Operation[]): OwnPath =>
  async (path) => {
    const operation = operations().find((one) => one.method === 'GET' && pathsOf(one).includes(path))
    if (operation === undefined) return { http_status: 404, body: null }
    try {
      const { status, body } = await runInProcess(operation)
      return { http_status: status, body }
    } catch (error) {
      return { http_status: error instanceof ServiceError ? error.status : 500, body: null }
    }
  }
