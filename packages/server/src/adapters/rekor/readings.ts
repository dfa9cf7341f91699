/** Readings without a proof. Apart from the client, so that a service without a log does not load what verifies one. */
import type { Anchoring, AnchorReading } from '../../ports.ts'

const empty = { log_index: null, entry_uuid: null, inclusion_proof: null, bundle: null, checkpoint: null }

export const nothing = (note: string): AnchorReading => ({
  ...empty,
  status: 'NOT_ATTEMPTED',
  attempted: false,
  reachable: null,
  note,
})

export const unreachable = (code: string): AnchorReading => ({
  ...empty,
  status: 'UNREACHABLE',
  attempted: true,
  reachable: false,
  note: `the external log did not give a usable answer (${code})`,
})

export const invalid = (reason: string): AnchorReading => ({
  ...empty,
  status: 'INVALID',
  attempted: true,
  reachable: true,
  note: `the external log answered, and its answer does not hold: ${reason}`,
})

export const noAnchoring: Anchoring = {
  configured: false,
  anchor: async () => nothing('no external transparency log is configured'),
  read: async () => nothing('no external transparency log is configured'),
}
