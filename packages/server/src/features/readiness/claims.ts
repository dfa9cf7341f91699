/** What this service claims about itself, how far each claim goes, and what outside of it supports it. A claim is never
 *  more mature than its row says: what is a conjecture has no proof to point at. */
import type { ArtifactName } from '../../ports.ts'

export const MATURITIES = [
  'TESTED_IN_REPOSITORY',
  'MEASURED_HERE',
  'PUBLISHED_STANDARD',
  'CONJECTURE',
  'PLANNED',
] as const
export type Maturity = (typeof MATURITIES)[number]

export const SOURCE_KINDS = ['standard', 'paper', 'repository'] as const

interface ClaimSource {
  kind: (typeof SOURCE_KINDS)[number]
  title: string
  url: string
  note: string
}

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

export interface Claim {
  id: ClaimId
  claim: string
  maturity: Exclude<Maturity, 'MEASURED_HERE'>
  /** A process that measured it says so in place of what the row says. */
  measurable?: true
  /** Where the console shows it. */
  tab: string
  /** The file of this build that stands for the claim. */
  artifact: ArtifactName
  sources: readonly ClaimSource[]
}

const source =
  (kind: ClaimSource['kind']) =>
  (title: string, url: string, note: string): ClaimSource => ({ kind, title, url, note })
const standard = source('standard')
const paper = source('paper')
const repository = source('repository')

const RFC_6962 = standard(
  'RFC 6962, Certificate Transparency',
  'https://www.rfc-editor.org/rfc/rfc6962',
  'the hash tree, its proofs of inclusion and of consistency',
)

export const CLAIMS: readonly Claim[] = [
  {
    id: 'signed-receipts',
    claim: 'Every decision leaves a receipt whose bytes are signed as they are sent and stored.',
    maturity: 'TESTED_IN_REPOSITORY',
    tab: 'receipts',
    artifact: 'evidence-golden-vectors',
    sources: [
      repository('DSSE', 'https://github.com/secure-systems-lab/dsse', 'the envelope and what exactly is signed'),
      standard('FIPS 186-5', 'https://csrc.nist.gov/pubs/fips/186-5/final', 'ECDSA over P-256'),
      standard('RFC 8785', 'https://www.rfc-editor.org/rfc/rfc8785', 'the canonical form of what is hashed'),
    ],
  },
  {
    id: 'hash-chain',
    claim: 'Changing one receipt breaks its chain at that link.',
    maturity: 'TESTED_IN_REPOSITORY',
    tab: 'ledger',
    artifact: 'evidence-chain-test',
    sources: [
      standard('FIPS 180-4', 'https://csrc.nist.gov/pubs/fips/180-4/upd1/final', 'SHA-256'),
      paper(
        'How to time-stamp a digital document',
        'https://doi.org/10.1007/BF00196791',
        'linking each record to the one before it',
      ),
    ],
  },
  {
    id: 'transparency-log',
    claim: 'Receipts are leaves of one append-only tree: a proof shows that each is in it and that it only ever grew.',
    maturity: 'TESTED_IN_REPOSITORY',
    tab: 'log',
    artifact: 'evidence-merkle-test',
    sources: [RFC_6962, standard('Tiled transparency logs', 'https://c2sp.org/tlog-tiles', 'how the tree is served')],
  },
  {
    id: 'source-provenance',
    claim: 'The running build says which sources it was made of, and a disagreement between its sources is shown.',
    maturity: 'TESTED_IN_REPOSITORY',
    measurable: true,
    tab: 'identity',
    artifact: 'evidence-build-test',
    sources: [
      standard('SLSA provenance', 'https://slsa.dev/spec/v1.0/provenance', 'what provenance says; level NOT_CLAIMED'),
      repository('in-toto attestation', 'https://github.com/in-toto/attestation', 'the statement format'),
    ],
  },
  {
    id: 'policy-gates',
    claim: 'What no gate and no policy allows is not done, and what cannot be decided is not allowed.',
    maturity: 'TESTED_IN_REPOSITORY',
    tab: 'gates',
    artifact: 'evidence-decision-vectors',
    sources: [
      paper('Cedar: a new language for authorization', 'https://doi.org/10.1145/3649835', 'the policy language'),
      repository('Cedar', 'https://github.com/cedar-policy/cedar', 'the authorizer that is used'),
    ],
  },
  {
    id: 'lambda-conjecture',
    claim:
      'The trust value is Conjecture 1: it can hold a request for review, never lets one pass, and stays below its ceiling.',
    maturity: 'CONJECTURE',
    tab: 'doctrine',
    artifact: 'formula-registry',
    sources: [],
  },
  {
    id: 'consensus-conjecture',
    claim: 'Safety of consensus among nodes is Conjecture 2: it is assumed nowhere and proven nowhere here.',
    maturity: 'CONJECTURE',
    tab: 'doctrine',
    artifact: 'formula-registry',
    sources: [
      paper(
        'Practical Byzantine fault tolerance',
        'https://www.usenix.org/conference/osdi-99/practical-byzantine-fault-tolerance',
        'what a proof of safety has to assume',
      ),
    ],
  },
  {
    id: 'liveness-conjecture',
    claim:
      'Liveness of the agentic loop is Conjecture 3: that a loop gets anywhere is assumed nowhere and proven nowhere here; that it ends is enforced by its limits.',
    maturity: 'CONJECTURE',
    tab: 'doctrine',
    artifact: 'formula-registry',
    sources: [
      paper(
        'Defining liveness',
        'https://doi.org/10.1016/0020-0190(85)90056-0',
        'what a proof of liveness would have to show',
      ),
    ],
  },
  {
    id: 'claim-integrity',
    claim: 'A claim is judged by the evidence that is handed over with it, and the judgement can be recomputed.',
    maturity: 'TESTED_IN_REPOSITORY',
    tab: 'claims',
    artifact: 'evidence-claim-vectors',
    sources: [
      standard('PROV-DM', 'https://www.w3.org/TR/prov-dm/', 'how evidence and what it supports are told apart'),
    ],
  },
  {
    id: 'offline-verification',
    claim: 'Anybody verifies a receipt with its export and a public key, without this service.',
    maturity: 'TESTED_IN_REPOSITORY',
    tab: 'verify',
    artifact: 'evidence-golden-vectors',
    sources: [
      RFC_6962,
      repository('Community cryptography test vectors', 'https://github.com/C2SP/CCTV', 'vectors as a shared good'),
    ],
  },
  {
    id: 'energy-accounting',
    claim: 'Energy is what a meter read while it was asked; without a meter there is no figure.',
    maturity: 'TESTED_IN_REPOSITORY',
    measurable: true,
    tab: 'assurance',
    artifact: 'evidence-meter-test',
    sources: [
      standard(
        'Software Carbon Intensity',
        'https://sci.greensoftware.foundation/',
        'energy per unit of work, measured or modelled and said which',
      ),
    ],
  },
  {
    id: 'finance-readings',
    claim: 'Market figures are read from their sources with time and digest, and nothing is ever traded.',
    maturity: 'PLANNED',
    tab: 'finance',
    artifact: 'evidence-transport-test',
    sources: [
      standard(
        'EDGAR application programming interfaces',
        'https://www.sec.gov/search-filings/edgar-application-programming-interfaces',
        'the filings as their keeper serves them',
      ),
    ],
  },
]

export const isClaimId = (id: string): id is ClaimId => (CLAIM_IDS as readonly string[]).includes(id)

export const claimWith = (id: ClaimId): Claim => CLAIMS.find((claim) => claim.id === id)!

/** Each once; what the background probes where the operator switched that on. */
export const evidenceLinks: readonly string[] = [
  ...new Set(CLAIMS.flatMap(({ sources }) => sources.map(({ url }) => url))),
]
