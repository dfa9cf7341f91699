// What the page says in plain sentences. The judgement itself is the verifier's.
import type { Check, CheckName, EvidenceKind, KeyKind, Verdict, VerificationReport } from '@orch/core'

export const KIND_NAMES: Record<EvidenceKind, string> = {
  receipt: 'receipt',
  envelope: 'signed envelope (DSSE)',
  export: 'receipt export',
  'ledger-export': 'ledger export (JSONL)',
  pack: 'evidence pack',
  statement: 'chain-of-title statement',
  report: 'verification report',
  unknown: 'unknown kind of input',
}

export const CHECK_TITLES: Record<CheckName, string> = {
  structure: 'Form',
  signature: 'Signature',
  payload_digest: 'Digest',
  hash_chain: 'Chain',
  inclusion: 'Log inclusion',
  key_trust: 'Key',
  lambda: 'Lambda',
}

export const KEY_KIND_NAMES: Record<KeyKind, string> = {
  'caller-supplied': 'supplied for this check',
  production: 'production key, I checked whose it is',
  demo: 'demo key, never production',
}

/** The wire's own words, so that the page, the command line and the service say the same. */
export const verdictWord = (verdict: Verdict): string => verdict.replace('_', ' ')

export function verdictSentence({ verdict, checks }: VerificationReport): string {
  const open = checks.filter(({ status }) => status !== 'VERIFIED').length
  switch (verdict) {
    case 'PASS':
      return 'Every check was made just now, and every one holds.'
    case 'PARTIAL':
      return `The bytes, their signature and their digest hold. ${count(open)} could not be made.`
    case 'FAIL':
      return `Something contradicts itself. ${sentence(firstMismatch(checks)?.reason ?? '')}`
    case 'INCONCLUSIVE':
      return 'Nothing speaks against it, but there is not enough here to vouch for it.'
    case 'NO_INPUT':
      return 'There was nothing to verify.'
  }
}

const count = (checks: number): string => (checks === 1 ? 'One check' : `${checks} checks`)
const firstMismatch = (checks: readonly Check[]): Check | undefined =>
  checks.find(({ status }) => status === 'MISMATCH')

/** The verifier's reasons are clauses; shown alone they read as sentences. */
export function sentence(clause: string): string {
  const text = clause.charAt(0).toUpperCase() + clause.slice(1)
  return /[.!?]$/.test(text) || text === '' ? text : `${text}.`
}

/** What the reader could bring to learn more; null where nothing is missing that a reader has. */
export function nextStep({ checks, verdict }: VerificationReport): string | null {
  const signature = checks.find(({ check }) => check === 'signature')
  if (verdict !== 'INCONCLUSIVE' || signature?.status !== 'UNAVAILABLE' || !('named' in signature.details)) return null
  return 'To judge the signature, add the signer’s public key under “Keys you trust”.'
}

/** Says demo wherever a demo key vouched for something, and what a key that came with the file is worth. */
export function keyNote({ checks }: VerificationReport): string | null {
  const details = checks.find(({ check }) => check === 'key_trust')?.details
  const kinds = Array.isArray(details?.keys) ? details.keys.map((key) => key?.kind) : [details?.kind]
  if (kinds.includes('demo'))
    return 'Signed with a demo key. It shows that the mechanism works; it never counts as production.'
  if (kinds.includes('caller-supplied'))
    return 'key_trust: caller-supplied. Compare the key’s fingerprint with one you got from somewhere else.'
  return null
}

export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
