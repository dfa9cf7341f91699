/** What this service claims about itself, how far each claim goes, and what outside of it supports it. A claim is never
 *  more mature than its row in claims.json says: what is a conjecture has no proof to point at. */
import Type, { type Static } from 'typebox'
import { words } from '../../domain/wire.ts'
import { closed, faultText, read } from '../../platform/shape.ts'
import type { ArtifactName } from '../../ports.ts'
import document from './claims.json' with { type: 'json' }

export const MATURITIES = [
  'TESTED_IN_REPOSITORY',
  'MEASURED_HERE',
  'PUBLISHED_STANDARD',
  'CONJECTURE',
  'PLANNED',
] as const
export type Maturity = (typeof MATURITIES)[number]

export const CLAIM_IDS = [
  'signed-receipts',
  'hash-chain',
  'transparency-log',
  'source-provenance',
  'policy-gates',
  'lambda-conjecture',
  'consensus-conjecture',
  'liveness-conjecture',
  'claim-integrity',
  'offline-verification',
  'energy-accounting',
  'finance-readings',
] as const
export type ClaimId = (typeof CLAIM_IDS)[number]

export const claimSource = {
  kind: words(['standard', 'paper', 'repository']),
  title: Type.String(),
  url: Type.String(),
  note: Type.String(),
}

const Claim = closed({
  id: words(CLAIM_IDS),
  claim: Type.String(),
  maturity: words(MATURITIES),
  /** A process that measured it says so in place of what the row says. */
  measurable: Type.Optional(Type.Literal(true)),
  /** Where the console shows it. */
  tab: Type.String(),
  /** The file of this build that stands for the claim. */
  artifact: Type.Unsafe<ArtifactName>(Type.String()),
  sources: Type.Array(closed(claimSource)),
})
export type Claim = Static<typeof Claim>

function readClaims(): readonly Claim[] {
  const table = read(closed({ claims: Type.Array(Claim) }), document, 'claims.json')
  if (!table.ok) throw new Error(faultText(table.faults))
  return table.value.claims
}

export const CLAIMS = readClaims()

export const isClaimId = (id: string): id is ClaimId => (CLAIM_IDS as readonly string[]).includes(id)

export const claimWith = (id: ClaimId): Claim => CLAIMS.find((claim) => claim.id === id)!

/** Each once; what the background probes where the operator switched that on. */
export const evidenceLinks: readonly string[] = [
  ...new Set(CLAIMS.flatMap(({ sources }) => sources.map(({ url }) => url))),
]
