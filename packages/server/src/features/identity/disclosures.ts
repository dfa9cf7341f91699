/** What a reader must know before believing the rest, worked out from what is so now: whatever is put right is gone from
 *  the list with the next request. */
import type { ReadingsView } from '../readings/contract.ts'
import type { IdentityFacts } from './facts.ts'
import type { HonestRecord } from './schemas.ts'
import type { SurfaceLabels } from './surface-labels.ts'

/** What the process is doing now, besides its identity. */
export interface ServiceState {
  startedAt: string
  /** Null while the check of the signer finds nothing wrong. */
  signerFailedSince: string | null
  isDurable: boolean
  sampleMode: boolean
  authMode: string
  isAnchored: boolean
  meters: number
  modelTargets: number
  claimsReady: boolean
  repository: ReturnType<ReadingsView['repository']>['name']
  mounted: readonly SurfaceLabels[]
}

/** A line without a time of its own has been so since the process started. */
type Line = readonly [holds: boolean, code: string, text: string, since?: string | null]

export function listDisclosures(facts: IdentityFacts, state: ServiceState): HonestRecord['disclosures'] {
  const lines = [
    ...signing(facts, state),
    ...recording(state),
    ...simulated(state),
    ...provenance(facts),
    ...notConfigured(facts, state),
    [true, 'NOT_ACCREDITED', 'no authority has accredited this service: no ATO, no IL5, no FedRAMP High'] as const,
  ] satisfies Line[]
  return lines
    .filter(([holds]) => holds)
    .map(([, code, text, since]: Line) => ({ code, text, since: since === undefined ? state.startedAt : since }))
}

const signing = ({ signer: { status } }: IdentityFacts, { signerFailedSince }: ServiceState): Line[] => [
  [status === 'DEMO', 'DEMO_SIGNED', 'receipts are signed with a demo key, which never counts as production'],
  [status === 'UNSIGNED', 'UNSIGNED', 'there is no signing key: receipts are chained and not signed'],
  [
    status === 'UNAVAILABLE',
    'SIGNER_UNAVAILABLE',
    'the newest self-test of the signer failed or is too old',
    signerFailedSince,
  ],
]

const recording = ({ isDurable, authMode, claimsReady }: ServiceState): Line[] => [
  [!isDurable, 'EPHEMERAL_LEDGER', 'the ledger is in memory and gone with the process'],
  [authMode === 'open', 'OPEN_ACCESS', 'whoever reaches this address may write: there are no credentials'],
  [!claimsReady, 'CLAIM_COMPILER_UNAVAILABLE', 'the claim compiler did not load: claim operations answer 503'],
]

function simulated({ mounted, sampleMode }: ServiceState): Line[] {
  const names = mounted
    .filter(({ declared }) => declared.includes('SIMULATED') || declared.includes('SIMULATION-ONLY'))
    .map(({ name }) => name)
  return [
    [
      names.length > 0,
      'SIMULATED_VALUES',
      `some replies of these surfaces are simulated and labelled so: ${names.join(', ')}`,
    ],
    [sampleMode, 'SAMPLE_MODE', 'unsigned, simulated rows may be appended to the separate chain sample'],
  ]
}

const provenance = ({ build }: IdentityFacts): Line[] => [
  [build.gitSha.value === null, 'REVISION_UNKNOWN', 'no source of this build knows its commit'],
  [build.workingTree.value === 'DIRTY', 'WORKING_TREE_DIRTY', 'the sources have changes that no commit holds'],
  [
    build.conflicts.length > 0,
    'BUILD_CONFLICT',
    'sources of the build facts disagree; all of them are shown in the build record',
  ],
  [build.matchesRecord === false, 'ARTIFACT_DIFFERS', 'the running sources are not the ones the build recorded'],
]

/** Whoever keeps the key or the rows is a part of the service, not of the outside, and is still called. */
const OUTBOUND_OFF =
  'outgoing requests are switched off: nothing outside is read and nothing is sent; a configured signing service or database is still called'

const notConfigured = ({ identity, space }: IdentityFacts, state: ServiceState): Line[] => [
  [!identity.outbound.enabled, 'OUTBOUND_OFF', OUTBOUND_OFF],
  [state.repository === null, 'REPOSITORY_NOT_CONFIGURED', 'no repository is read, so parity with it is unknown'],
  [space.name === null, 'HOSTED_SPACE_NOT_CONFIGURED', 'no hosted space is read, so its commit is unknown'],
  [!state.isAnchored, 'ANCHORING_NOT_CONFIGURED', 'checkpoints are not submitted to a log of anybody else'],
  [state.meters === 0, 'METERS_NOT_CONFIGURED', 'no energy meter is read: energy is unavailable'],
  [state.modelTargets === 0, 'MODEL_NOT_CONFIGURED', 'there is no model target that can be called'],
]
