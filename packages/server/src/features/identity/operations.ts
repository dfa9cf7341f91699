import { sha256Hex } from '@orch/core'
import { API_PREFIX, operation, Reply } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { once } from '../../platform/once.ts'
import type { Anchoring, ClaimEngine, EnergyMeters, Ports, Runtime } from '../../ports.ts'
import type { IdentityFacts } from './facts.ts'
import { buildHonestRecord, type HonestFacts } from './honest.ts'
import * as schemas from './schemas.ts'
import { deploymentSource, productSource, sourceDeployAttestation } from './source-documents.ts'
import { type SurfaceLabels, surfaceLabels } from './surface-labels.ts'
import { buildVersionRecord } from './version.ts'

type Deps = Pick<
  Ports,
  'build' | 'identity' | 'readings' | 'signer' | 'clock' | 'catalog' | 'ledger' | 'readiness' | 'authMode' | 'upstreams'
> & { runtime: Runtime; sampleMode: boolean; anchoring: Anchoring; meters: EnergyMeters; claims: ClaimEngine }

const getDefaults = { group: 'Health and identity', method: 'GET', scope: null, example: {} } as const
/** The record of the version links to this path as well. */
const HONEST = '/honest'

/** Which build this is, where it comes from and what is not so about it. None of these appends, signs or opens a
 *  socket. */
export const identity = (deps: Deps) => {
  // What is served is known only after every feature was opened.
  const mounted = once(() => surfaceLabels(deps.catalog))
  const attestation = once(() => attest(deps))
  return [
    operation({
      ...getDefaults,
      id: 'identity.version',
      path: '/version',
      summary: 'Which build runs, its release, its provenance and who says so',
      description:
        'Facts are gathered at start, each with its source. The commit of the hosted space is the newest background reading; a configured one never stands in for it.',
      reply: schemas.VersionRecord,
      labels: ['STRUCTURAL-ONLY'],
      run: () =>
        buildVersionRecord(gatherFacts(deps), mounted(), {
          honest: `${API_PREFIX}${HONEST}`,
          changelog: `${API_PREFIX}/assets/changelog`,
        }),
    }),
    operation({
      ...getDefaults,
      id: 'identity.honest',
      path: HONEST,
      aliases: [HONEST],
      summary: 'What is simulated, not signed, not accredited or not configured here, and the label of every surface',
      description: 'Worked out for this request: what is put right is gone from the list.',
      reply: schemas.HonestRecord,
      labels: ['STRUCTURAL-ONLY'],
      run: async () => buildHonestRecord(gatherFacts(deps), await gatherState(deps, mounted())),
    }),
    operation({
      ...getDefaults,
      id: 'identity.deploymentSource',
      path: '/.well-known/orch-source.json',
      root: true,
      summary: 'Source and deployment of this process, and whether their commits agree',
      query: schemas.RefreshQuery,
      reply: schemas.DeploymentSource,
      labels: ['STRUCTURAL-ONLY'],
      run({ query, headOnly }) {
        const refresh = query.refresh === 1 && headOnly !== true ? deps.readings.queueRound() : null
        const body = deploymentSource(gatherFacts(deps), refresh)
        return new Reply(body, { headers: stateHeaders(body) })
      },
    }),
    operation({
      ...getDefaults,
      id: 'identity.sourceAttestation',
      path: '/.well-known/orch-source-v2.json',
      root: true,
      summary: 'Source and deployment as gathered at start; the same bytes for the life of the process',
      description: 'Its SHA-256 is the ETag.',
      reply: schemas.SourceDeployAttestation,
      labels: ['STRUCTURAL-ONLY', 'UNAVAILABLE'],
      run({ headers }) {
        const { body, etag } = attestation()
        const isKnown = headers['if-none-match'] === etag
        return new Reply(isKnown ? null : body, { status: isKnown ? 304 : 200, headers: { etag } })
      },
    }),
    operation({
      ...getDefaults,
      id: 'identity.productSource',
      path: '/.well-known/source.json',
      root: true,
      summary: 'Product, repository and signer of this service, and what it does not claim',
      reply: schemas.ProductSource,
      labels: ['STRUCTURAL-ONLY'],
      run: () => productSource(gatherFacts(deps)),
    }),
  ]
}

const gatherFacts = ({ build, identity, readings, signer, clock }: Deps): IdentityFacts => ({
  build,
  identity,
  space: readings.space(),
  signer: signer(),
  now: isoNow(clock),
})

function attest({ build, identity }: Deps): { body: object; etag: string } {
  const body = sourceDeployAttestation({ build, identity })
  return { body, etag: `"${sha256Hex(new TextEncoder().encode(JSON.stringify(body)))}"` }
}

const stateHeaders = (body: schemas.DeploymentSource): Record<string, string> => ({
  'x-orch-transport-state': body.transport_state,
  'x-orch-evidence-state': body.evidence_state,
  'x-orch-verification-state': body.verification_state,
  'x-orch-authority-state': body.authority_state,
})

async function gatherState(deps: Deps, mounted: readonly SurfaceLabels[]): Promise<HonestFacts> {
  const { ledger, runtime, readiness, authMode, upstreams, readings, anchoring, meters, claims, sampleMode } = deps
  const { durability } = ledger.state()
  const { productionReady, components } = await readiness.report()
  return {
    ledgerMode: durability,
    isDurable: durability !== 'EPHEMERAL',
    productionReady,
    signerFailedSince: components.signer?.state === 'OK' ? null : (components.signer?.since ?? null),
    startedAt: new Date(runtime.startedAt).toISOString(),
    sampleMode,
    authMode: authMode(),
    isAnchored: anchoring.configured,
    meters: meters.configured,
    modelTargets: upstreams.targets().filter(({ absent }) => absent === null).length,
    claimsReady: claims.ready,
    repository: readings.repository().name,
    mounted,
  }
}
