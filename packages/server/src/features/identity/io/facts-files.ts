import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isoNow } from '../../../platform/clock.ts'
import type { Clock, Fact, FactSource } from '../../../ports.ts'
import { DECLARED_CHECKS, type Identity } from '../contract.ts'
import { ROOT } from './build-facts.ts'
import { readBuildRecord } from './build-record.ts'
import { httpsUrl, readReleaseChecks, readReleaseReadback } from './record-file.ts'

/** Settings that say where this build comes from and where it runs, by what they are called here. */
export const IDENTITY_SETTINGS = {
  baseUrl: 'ORCH_BASE_URL',
  registryUrl: 'ORCH_REGISTRY_URL',
  legacyAliasUrl: 'ORCH_LEGACY_ALIAS_URL',
  repoUrl: 'ORCH_REPO_URL',
  imageDigest: 'ORCH_IMAGE_DIGEST',
  deployedCommit: 'ORCH_DEPLOYED_COMMIT',
  deployTime: 'ORCH_DEPLOY_TIME',
  deployTarget: 'ORCH_DEPLOY_TARGET',
  releaseTag: 'ORCH_RELEASE_TAG',
  spaceSha: 'ORCH_SPACE_SHA',
  doiConcept: 'ORCH_DOI_CONCEPT',
  doiFormal: 'ORCH_DOI_FORMAL',
  doiSoftware: 'ORCH_DOI_SOFTWARE',
} as const
type Setting = keyof typeof IDENTITY_SETTINGS

export type IdentitySettings = Record<Setting, string | null> & { outbound: Identity['outbound'] }

/** `bound` is asked whenever the address is: it is not known before the service listens. */
export function gatherIdentity(
  settings: IdentitySettings,
  clock: Clock,
  bound: () => AddressInfo | null,
  root: string = ROOT,
): Identity {
  const readAt = isoNow(clock)
  const known = (source: FactSource, value: string | null): Fact => ({
    value,
    source: value === null ? 'none' : source,
    readAt,
  })
  const set = (name: Setting): Fact => known(`env:${IDENTITY_SETTINGS[name]}`, settings[name])
  const base = set('baseUrl')
  return {
    repositoryUrl: settings.repoUrl === null ? known('package.json', packageRepository(root)) : set('repoUrl'),
    imageDigest: set('imageDigest'),
    deployedCommit: set('deployedCommit'),
    deployTime: set('deployTime'),
    deployTarget: set('deployTarget'),
    registryUrl: set('registryUrl'),
    legacyAliasUrl: set('legacyAliasUrl'),
    releaseTag: set('releaseTag'),
    spaceSha: set('spaceSha'),
    doi: { concept: set('doiConcept'), formal: set('doiFormal'), software: set('doiSoftware') },
    readback: readReleaseReadback(root),
    checks: { declared: DECLARED_CHECKS, record: readReleaseChecks(root) },
    merges: readBuildRecord(root).merges,
    canonical: () => (base.value === null ? known('computed', addressOf(bound())) : base),
    outbound: settings.outbound,
  }
}

/** Who listens everywhere is found on this machine; the address that means everywhere leads nowhere. */
const LISTENS_EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

function addressOf(at: AddressInfo | null): string | null {
  if (at === null) return null
  const address = LISTENS_EVERYWHERE[at.address] ?? at.address
  return `http://${at.family === 'IPv6' ? `[${address}]` : address}:${at.port}`
}

/** As npm spells it, with or without the scheme of git before it; a short form names no host and is not resolved. */
function packageRepository(root: string): string | null {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const url = typeof repository === 'object' && repository !== null ? repository.url : repository
  return typeof url === 'string' ? httpsUrl(url.replace(/^git\+/, '').replace(/\.git$/, '')) : null
}
