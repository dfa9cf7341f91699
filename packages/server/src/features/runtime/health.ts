import { BUILD_VERSION, DOCTRINE, INTERFACE_VERSION, KERNEL_COMMIT, LOCK, SIGNING_SCHEME } from '@orch/core'
import type { CatalogEntry, ReadinessReport, SignerStatus } from '../../ports.ts'
import type { Health, LivenessRecord, SignerState } from './schemas.ts'

/** One word for what the checks found: any blocking failure is failing, any other is degraded. */
function summarise(report: ReadinessReport): Pick<Health, 'status' | 'components'> {
  const states = Object.entries(report.components)
  const failed = states.filter(([, check]) => check.state !== 'OK')
  const status = failed.some(([, check]) => check.blocking)
    ? 'failing'
    : failed.length > 0 || report.draining
      ? 'degraded'
      : 'ok'
  return { status, components: Object.fromEntries(states.map(([name, check]) => [name, check.state])) }
}

export const healthRecord = (report: ReadinessReport, signer: SignerStatus) => ({
  ...summarise(report),
  service: 'orch' as const,
  version: BUILD_VERSION,
  interface_version: INTERFACE_VERSION,
  doctrine: DOCTRINE,
  kernel_commit: KERNEL_COMMIT,
  signer: signerRecord(signer),
})

export function livenessRecord(
  gitSha: string | null,
  state: SignerStatus,
  { rollup, pubkey }: { rollup: string; pubkey: string },
): LivenessRecord {
  const signer = signerRecord(state)
  const { status, signing_available, scheme } = signer
  const mint = 'POST /api/orch/khipu/sign'
  return {
    status: 'ok',
    organ: 'orch',
    doctrine: DOCTRINE,
    lock: LOCK,
    commit: KERNEL_COMMIT,
    git_sha: gitSha,
    scope: 'PROCESS_LIVENESS',
    capability_readiness_asserted: false,
    signer,
    dsse_live: { status, signing_available, scheme, mint, rollup, pubkey, public_key_fingerprint: state.fingerprint },
  }
}

export const signerRecord = (signer: SignerStatus): SignerState => ({
  status: signer.status,
  signing_available: signer.signingAvailable,
  scheme: SIGNING_SCHEME,
  key_kind: signer.keyKind,
  tested_at: signer.testedAt,
})

/** Where health points to, by the operations that answer there. */
const WANTED = {
  livez: ['runtime.livez'],
  readyz: ['runtime.readyz'],
  build: ['runtime.buildInfo'],
  version: ['identity.version'],
  metrics: ['runtime.metrics'],
  honest: ['identity.honest'],
  openapi: ['runtime.openapi'],
  // Where there is no reference to read, the description it would be made of.
  docs: ['docs.page', 'runtime.openapi'],
} as const

/** The paths come from the catalog of what is served, so a link cannot lead nowhere. */
export function healthLinks(catalog: readonly CatalogEntry[]): Record<string, string> {
  const byId = new Map(catalog.map(({ id, path }) => [id, path]))
  return Object.fromEntries(
    Object.entries(WANTED).flatMap(([name, ids]) => {
      const path = ids.map((id) => byId.get(id)).find((served) => served !== undefined)
      return path === undefined ? [] : [[name, path]]
    }),
  )
}
