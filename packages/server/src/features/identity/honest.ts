/** The record that says what is not so: labels, signing, persistence and everything a reader could otherwise take for
 *  more than it is. */
import { DOCTRINE, KERNEL_COMMIT, LAMBDA, LOCK, LOCKED_FORMULAS } from '@orch/core'
import { listDisclosures, type ServiceState } from './disclosures.ts'
import type { IdentityFacts } from './facts.ts'
import type { HonestRecord } from './schemas.ts'
import { explainLabel } from './surface-labels.ts'

export interface HonestFacts extends ServiceState {
  ledgerMode: string
  productionReady: boolean
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
