// What the page says in plain sentences. The judgement itself is the verifier's.
import {
  type CheckName,
  type EvidenceKind,
  headline,
  type KeyKind,
  type Verdict,
  type VerificationReport,
} from '@orch/core'

export const KIND_NAMES: Record<EvidenceKind, string> = {
  receipt: 'receipt',
  envelope: 'signed envelope (DSSE)',
  export: 'receipt export',
  'ledger-export': 'ledger export (JSONL)',
  pack: 'evidence pack',
  statement: 'chain-of-title statement',
  report: 'verification report',
  reply: 'reply of the service',
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

/** The verifier's headline, as a sentence. */
export const verdictSentence = (report: VerificationReport): string => sentence(headline(report))

/** The verifier's reasons are clauses; shown alone they read as sentences. An id at the beginning stays as it is. */
export function sentence(clause: string): string {
  const text = /^\w+[._/]\w/.test(clause) ? clause : clause.charAt(0).toUpperCase() + clause.slice(1)
  return /[.!?]$/.test(text) || text === '' ? text : `${text}.`
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
