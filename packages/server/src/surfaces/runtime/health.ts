import { SIGNING_SCHEME } from '@orch/core'

interface Checked {
  draining: boolean
  components: Record<string, { state: string; blocking: boolean }>
}

interface SignerState {
  status: string
  signingAvailable: boolean
  keyKind: string | null
  testedAt: string | null
}

/** One word for what the checks found: any blocking failure is failing, any other is degraded. */
export function healthOf(report: Checked): {
  status: 'ok' | 'degraded' | 'failing'
  components: Record<string, string>
} {
  const states = Object.entries(report.components)
  const failed = states.filter(([, check]) => check.state !== 'OK')
  const status = failed.some(([, check]) => check.blocking)
    ? 'failing'
    : failed.length > 0 || report.draining
      ? 'degraded'
      : 'ok'
  return { status, components: Object.fromEntries(states.map(([name, check]) => [name, check.state])) }
}

export const signerRecord = (signer: SignerState) => ({
  status: signer.status,
  signing_available: signer.signingAvailable,
  scheme: SIGNING_SCHEME,
  key_kind: signer.keyKind,
  tested_at: signer.testedAt,
})
