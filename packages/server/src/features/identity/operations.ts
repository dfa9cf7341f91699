import { sha256Hex } from '@orch/core'
import { API_PREFIX, untypedOperation as operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import type { IdentityFacts } from './facts.ts'
import { honestOf } from './honest.ts'
import * as schemas from './schemas.ts'
import { deploymentSource, productSource, sourceDeployAttestation } from './source-documents.ts'
import { type SurfaceLabels, surfaceLabels } from './surface-labels.ts'
import { versionOf } from './version.ts'

type Deps = Pick<
  Ports,
  | 'build'
  | 'identity'
  | 'readings'
  | 'signer'
  | 'clock'
  | 'openApi'
  | 'runtime'
  | 'ledger'
  | 'readiness'
  | 'sampleMode'
  | 'authMode'
  | 'anchoring'
  | 'meters'
  | 'upstreams'
  | 'claims'
>

const reading = { group: 'Health and identity', method: 'GET', scope: null, example: {} } as const
/** Here and nowhere else. */
const HONEST = '/honest'

/** Which build this is, where it comes from and what is not so about it. None of these appends, signs or opens a
 *  socket. */
export const identity = (deps: Deps) => {
  const mounted = onceMounted(deps)
  const attestation = onceAttested(deps)
  return [
    operation({
      ...reading,
      id: 'identity.version',
      path: '/version',
      summary: 'Which build runs, its release, its provenance and who says so',
      description:
        'Facts are gathered at start, each with its source. The commit of the hosted space is the newest background reading; a configured one never stands in for it.',
      reply: schemas.VersionRecord,
      labels: ['STRUCTURAL-ONLY'],
      run: () =>
        versionOf(factsOf(deps), mounted(), {
          honest: `${API_PREFIX}${HONEST}`,
          changelog: `${API_PREFIX}/assets/changelog`,
        }),
    }),
    operation({
      ...reading,
      id: 'identity.honest',
      path: HONEST,
      aliases: [HONEST],
      summary: 'What is simulated, not signed, not accredited or not configured here, and the label of every surface',
      description: 'Worked out for this request: what is put right is gone from the list.',
      reply: schemas.HonestRecord,
      labels: ['STRUCTURAL-ONLY'],
      run: async () => honestOf(factsOf(deps), await standingOf(deps, mounted())),
    }),
    operation({
      ...reading,
      id: 'identity.deploymentSource',
      path: '/.well-known/orch-source.json',
      root: true,
      summary: 'Source and deployment of this process, and whether their commits agree',
      query: schemas.RefreshQuery,
      reply: schemas.DeploymentSource,
      labels: ['STRUCTURAL-ONLY'],
      run({ query, headOnly }) {
        const refresh = query.refresh === 1 && headOnly !== true ? deps.readings.queueRound() : null
        const body = deploymentSource(factsOf(deps), refresh)
        return new Reply(body, { headers: stateHeaders(body) })
      },
    }),
    operation({
      ...reading,
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
      ...reading,
      id: 'identity.productSource',
      path: '/.well-known/source.json',
      root: true,
      summary: 'Product, repository and signer of this service, and what it does not claim',
      reply: schemas.ProductSource,
      labels: ['STRUCTURAL-ONLY'],
      run: () => productSource(factsOf(deps)),
    }),
  ]
}

const factsOf = ({ build, identity, readings, signer, clock }: Deps): IdentityFacts => ({
  build,
  identity,
  space: readings.space(),
  signer: signer(),
  now: new Date(clock.now()).toISOString(),
})

/** What is mounted does not change, and is known only after all of it is. */
function onceMounted({ openApi }: Deps): () => readonly SurfaceLabels[] {
  let labels: readonly SurfaceLabels[] | null = null
  return () => {
    labels ??= surfaceLabels(openApi())
    return labels
  }
}

function onceAttested({ build, identity }: Deps): () => { body: object; etag: string } {
  let made: { body: object; etag: string } | null = null
  return () => {
    if (made === null) {
      const body = sourceDeployAttestation({ build, identity })
      made = { body, etag: `"${sha256Hex(new TextEncoder().encode(JSON.stringify(body)))}"` }
    }
    return made
  }
}

const stateHeaders = (body: ReturnType<typeof deploymentSource>): Record<string, string> => ({
  'x-orch-transport-state': body.transport_state,
  'x-orch-evidence-state': body.evidence_state,
  'x-orch-verification-state': body.verification_state,
  'x-orch-authority-state': body.authority_state,
})

async function standingOf(deps: Deps, mounted: readonly SurfaceLabels[]) {
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
