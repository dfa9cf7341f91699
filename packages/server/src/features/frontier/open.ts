/** The studied projects over the committed registry, the router and, where the operator wants it, the GitHub API. */
import type { Outbound } from '../../adapters/outbound/contract.ts'
import { ServiceError } from '../../errors.ts'
import { readSealed } from '../../platform/sealed-file.ts'
import type { Ports } from '../../ports.ts'
import type { Frontier } from './contract.ts'
import { type GithubSettings, githubMetadata } from './io/github.ts'
import { FRONTIER_SCHEMA, FrontierRegistry, registryFault } from './registry.ts'

interface Needs extends Pick<Ports, 'artifacts'> {
  outbound: Pick<Outbound, 'get'>
  served: Frontier['served']
}

export const openFrontier = (settings: GithubSettings, { artifacts, outbound, served }: Needs): Frontier => ({
  served,
  metadata: githubMetadata(settings, outbound),
  async registry() {
    const sealed = readSealed(await artifacts.text('frontier-projects'), FRONTIER_SCHEMA, FrontierRegistry)
    if (sealed.ok && registryFault(sealed.value) === null) return { registry: sealed.value, sha256: sealed.sha256 }
    throw new ServiceError(
      'data_file_invalid',
      'the registry of projects of this build is not the committed one; ask the operator',
    )
  },
})
