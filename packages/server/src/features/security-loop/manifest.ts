import { canonicalize, sha256Hex } from '@orch/core'
import { BOUNDS } from './run.ts'
import type { LoopRun, SecurityLoopManifest } from './schemas.ts'
import { GATE_IDS, STATES, TRANSITIONS } from './state-machine.ts'

const MANIFEST = {
  ready: true,
  schema_version: 'orch.waqay.security-loop.v1',
  label: 'STRUCTURAL-ONLY',
  mode: 'PROPOSAL_ONLY',
  effectors: 0,
  external_mutations: 'DISABLED',
  state_machine: STATES,
  transitions: TRANSITIONS,
  gate_ids: GATE_IDS,
  bounds: BOUNDS,
  receipt: { appended: false, reason: 'a reading appends no receipt; the steward records when its findings change' },
  truth_boundary:
    'Findings are matches of the service’s own lockfile with a committed sample of published advisories. Nothing was fetched, tried or changed, reachability of the code was not examined, and a gate that nothing was read for is UNKNOWN.',
} as const

/** The digest is of the manifest without the run and without itself: what it promises, not what was found. */
export const buildManifest = (run: LoopRun): SecurityLoopManifest =>
  ({ ...MANIFEST, manifest_digest: sha256Hex(canonicalize(MANIFEST)), run }) as unknown as SecurityLoopManifest
