/** The record that says what is not so: labels, signing, persistence and everything a reader could otherwise take for
 *  more than it is. */
import { DOCTRINE, KERNEL_COMMIT, LAMBDA, LOCK, LOCKED_FORMULAS } from '@orch/core'
import type { ReadingsView } from '../readings/contract.ts'
import type { IdentityFacts } from './facts.ts'
import type { HonestRecord } from './schemas.ts'
import { explainLabel, type SurfaceLabels } from './surface-labels.ts'

/** What the process is doing now, besides its identity. */
export interface HonestFacts {
  ledgerMode: string
  productionReady: boolean
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

export function buildHonestRecord(facts: IdentityFacts, state: HonestFacts): HonestRecord {
  const { build, identity, signer } = facts
  const { enabled, configured, overridden } = identity.outbound
  return {
    organ: 'orch',
    git_sha: build.gitSha.value,
    doctrine_lock: doctrineLock(),
    labels: Object.fromEntries(state.mounted.map((one) => [one.name, { label: one.label, why: explainLabel(one) }])),
    signing: { status: signer.status, key_kind: signer.keyKind, note: SIGNING_NOTES[signer.status] },
    persistence: {
      mode: state.ledgerMode,
      production_ready: state.productionReady,
      survives_restart: state.isDurable,
    },
    outbound: { enabled, configured_sources: [...configured], overridden_sources: [...overridden] },
    disclosures: listDisclosures(facts, state),
    slsa: { level: 'L1', l2: 'NOT_ESTABLISHED', l3: 'NOT_ESTABLISHED' },
    accreditation: { ato: false, il5: false, fedramp_high: false },
  }
}

const SIGNING_NOTES = {
  LIVE: 'a production key signed and verified the newest self-test',
  DEMO: 'a demo key signs: anybody with this program can make one',
  UNSIGNED: 'no key is configured; the hash chain still verifies',
  UNAVAILABLE: 'a key is configured and did not pass its newest self-test',
} as const

function doctrineLock(): HonestRecord['doctrine_lock'] {
  const [declarations, axioms, sorries] = LOCK.split(/\D/).map(Number) as [number, number, number]
  return {
    doctrine: DOCTRINE,
    state: 'LOCKED',
    declarations,
    axioms,
    sorries,
    commit: KERNEL_COMMIT,
    lambda: { ...LAMBDA },
    locked_formula_count: LOCKED_FORMULAS.length,
    locked_formula_ids: [...LOCKED_FORMULAS],
    constants_source: 'constants of the doctrine module of this build; no check of this request found them',
  }
}

/** A line without a time of its own has been so since the process started. */
type Line = readonly [holds: boolean, code: string, text: string, since?: string | null]

/** What a reader must know before believing the rest, worked out from what is so now: whatever is put right is gone from
 *  the list with the next request. */
function listDisclosures(facts: IdentityFacts, state: HonestFacts): HonestRecord['disclosures'] {
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

const signing = ({ signer: { status } }: IdentityFacts, { signerFailedSince }: HonestFacts): Line[] => [
  [status === 'DEMO', 'DEMO_SIGNED', 'receipts are signed with a demo key, which never counts as production'],
  [status === 'UNSIGNED', 'UNSIGNED', 'there is no signing key: receipts are chained and not signed'],
  [
    status === 'UNAVAILABLE',
    'SIGNER_UNAVAILABLE',
    'the newest self-test of the signer failed or is too old',
    signerFailedSince,
  ],
]

const recording = ({ isDurable, authMode, claimsReady }: HonestFacts): Line[] => [
  [!isDurable, 'EPHEMERAL_LEDGER', 'the ledger is in memory and gone with the process'],
  [authMode === 'open', 'OPEN_ACCESS', 'whoever reaches this address may write: there are no credentials'],
  [!claimsReady, 'CLAIM_COMPILER_UNAVAILABLE', 'the claim compiler did not load: claim operations answer 503'],
]

function simulated({ mounted, sampleMode }: HonestFacts): Line[] {
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

const notConfigured = ({ identity, space }: IdentityFacts, state: HonestFacts): Line[] => [
  [!identity.outbound.enabled, 'OUTBOUND_OFF', OUTBOUND_OFF],
  [state.repository === null, 'REPOSITORY_NOT_CONFIGURED', 'no repository is read, so parity with it is unknown'],
  [space.name === null, 'HOSTED_SPACE_NOT_CONFIGURED', 'no hosted space is read, so its commit is unknown'],
  [!state.isAnchored, 'ANCHORING_NOT_CONFIGURED', 'checkpoints are not submitted to a log of anybody else'],
  [state.meters === 0, 'METERS_NOT_CONFIGURED', 'no energy meter is read: energy is unavailable'],
  [state.modelTargets === 0, 'MODEL_NOT_CONFIGURED', 'there is no model target that can be called'],
]
