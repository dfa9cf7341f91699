// How the committed cases are read. Used by the library's, the command line's and the browser's tests alike.
import type { CheckName, CheckStatus, EvidenceKind, KeyKind, Trust, Verdict } from '../packages/core/src/index.ts'
import { base64Decode, CHECKS, importPublicKey } from '../packages/core/src/index.ts'

export type KeysFile = {
  p256: Record<string, { keyid: string; pem: string }>
  ed25519: Record<string, { vkey: string }>
}

/** Names of keys.json instead of keys. */
export type CaseTrust = {
  keys: { name: string; kind: KeyKind; from?: string; to?: string }[]
  log: boolean
  chain?: {
    previous_b64: string | null
    walk: { from: number; to: number; broken_at: number | null }
    node_index: number
    digest: string
  }
  require_production?: boolean
  expected_digest?: string
}

export type Case = {
  name: string
  /** A parsed value, or the text of a file where its exact bytes matter. */
  input?: unknown
  text?: string
  trust: CaseTrust
  expected: {
    kind: EvidenceKind
    verdict: Verdict
    statuses: CheckStatus[]
    /** The check that decides the verdict and a fragment of its reason. */
    check?: CheckName
    reason?: string
    digest?: string
    first_bad?: { line: number; node_index: number | null }
  }
}

export const inputOf = (one: Case): unknown => (one.text === undefined ? one.input : one.text)

export function trustOf(keys: KeysFile, { trust }: Case): Trust {
  const { chain } = trust
  return {
    keys: trust.keys.map(({ name, ...rest }) => ({ ...rest, key: importPublicKey(keys.p256[name]!.pem)! })),
    logKeys: trust.log ? [keys.ed25519.log!.vkey] : [],
    ...(chain && {
      chain: { ...chain, previous: chain.previous_b64 === null ? null : base64Decode(chain.previous_b64) },
    }),
    ...(trust.require_production && { requireProduction: true }),
    ...(trust.expected_digest && { expectedDigest: trust.expected_digest }),
  }
}

type Reported = {
  kind: string
  verdict: string
  checks: { check: string; status: string; reason: string }[]
  subject: { digest: string; [fact: string]: unknown } | null
}

/** What differs from the expectation, one line each; empty when the case holds. */
export function differences({ expected }: Case, report: Reported): string[] {
  const found: string[] = []
  const differ = (what: string, want: unknown, got: unknown): void => {
    if (JSON.stringify(want) !== JSON.stringify(got)) found.push(`${what}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`)
  }
  differ('kind', expected.kind, report.kind)
  differ('verdict', expected.verdict, report.verdict)
  differ('order', CHECKS, report.checks.map(({ check }) => check))
  differ('statuses', expected.statuses, report.checks.map(({ status }) => status))
  if (expected.digest) differ('digest', expected.digest, report.subject?.digest)
  const reason = report.checks.find(({ check }) => check === expected.check)?.reason ?? ''
  if (expected.reason && !reason.includes(expected.reason)) found.push(`reason: want "${expected.reason}" in "${reason}"`)
  const bad = report.subject?.first_bad as { line: number; node_index: number | null } | null | undefined
  if (expected.first_bad) differ('first_bad', expected.first_bad, bad && { line: bad.line, node_index: bad.node_index })
  return found
}
