/** The committed comparison of solvers with a network: read and checked for every request, and never run here. */
import Type, { type Static } from 'typebox'
import { readSealed } from '../../platform/sealed-file.ts'
import type { Artifacts } from '../../ports.ts'
import type { BenchReply } from './schemas.ts'

const SCHEMA = 'orch.pinn-bench/v1'
const REPRODUCE = 'npm run bench:pinn'

const Payload = Type.Object({
  measured_at: Type.String({ format: 'date-time' }),
  machine: Type.Record(Type.String(), Type.Unknown()),
  versions: Type.Record(Type.String(), Type.String()),
  problems: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1 }),
  energy: Type.Null(),
  energy_reason: Type.String(),
  caveats: Type.Array(Type.String()),
})

type Found =
  | { state: 'absent'; reason: string }
  | { state: 'altered' }
  | { state: 'verified'; sha256: string; payloadSha256: string; payload: Static<typeof Payload> }

/** Both digests must hold: that of the bytes in the file beside it, and that of the payload inside. */
export async function readBench(artifacts: Pick<Artifacts, 'text'>): Promise<Found> {
  const [file, digest] = await Promise.all([artifacts.text('pinn-bench'), artifacts.text('pinn-bench-digest')])
  if (!file.present) return { state: 'absent', reason: file.reason }
  if (!digest.present || digest.text.slice(0, 64) !== file.sha256) return { state: 'altered' }
  const sealed = readSealed(file, SCHEMA, Payload)
  if (!sealed.ok) return { state: 'altered' }
  return { state: 'verified', sha256: file.sha256, payloadSha256: sealed.sha256, payload: sealed.value }
}

export function toBenchReply(found: Exclude<Found, { state: 'altered' }>): BenchReply {
  if (found.state === 'absent')
    return {
      label: 'ROADMAP',
      state: 'NOT_RUN',
      reason: found.reason,
      reproduce: REPRODUCE,
      ...{ measured_at: null, artifact_sha256: null, payload_sha256: null, digest_verified: false },
      ...{ machine: null, versions: null, problems: [], energy: null, energy_reason: null, caveats: [] },
    }
  const { measured_at, machine, versions, problems, energy_reason, caveats } = found.payload
  return {
    label: 'SAMPLE',
    state: 'MEASURED_BEFORE',
    reason: null,
    reproduce: REPRODUCE,
    measured_at,
    artifact_sha256: found.sha256,
    payload_sha256: found.payloadSha256,
    digest_verified: true,
    ...{ machine, versions, problems, energy: null, energy_reason, caveats },
  }
}
