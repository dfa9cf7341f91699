/** The eight requirements. What a row claims is decided by its check and by nothing written here. */
import { KERNEL_PROOFS } from '@orch/core'
import type { AssuranceRow } from './schemas.ts'

/** A row of the matrix without what its check finds. */
export type Requirement = Omit<AssuranceRow, 'status' | 'status_detail' | 'evaluated_at' | 'evidence'>

/** Rows with a check that runs in the request. */
export const CHECKED_IDS = ['MC-1', 'DC-1', 'SI7-1', 'TEVV-1', 'RA-1', 'IV-1'] as const
export type CheckedId = (typeof CHECKED_IDS)[number]

export const REQUIREMENTS: readonly Requirement[] = [
  {
    req_id: 'MC-1',
    requirement: 'Model Card',
    req_detail:
      'What the trust value orch.lambda/v1 is, its bounds, its status, what it can do and what it does not show',
    source: 'Mitchell et al., Model Cards for Model Reporting',
    source_url: 'https://arxiv.org/abs/1810.03993',
    orch_artifact: 'Card of the trust value orch.lambda/v1: definition, floor, ceiling, tiers, counterexample',
    artifact_url: '/api/orch/v1/formula-tiers',
    honest_caveats:
      'Lambda is Conjecture 1 and never a theorem. It can hold a request for review and can never let one pass.',
  },
  {
    req_id: 'DC-1',
    requirement: 'Data Card / Honest Data Labels',
    req_detail: 'Every data claim carries one of nine labels; a measured value exists only as a reading of the request',
    source: 'Pushkarna et al., Data Cards: Purposeful and Transparent Dataset Documentation',
    source_url: 'https://arxiv.org/abs/2204.01075',
    orch_artifact: 'Label rules enforced in code and declared per operation in the interface description',
    artifact_url: '/openapi.json',
    honest_caveats: 'A label says how a value came about; it does not show that the value is right.',
  },
  {
    req_id: 'SBOM-1',
    requirement: 'SBOM / Software Bill of Materials',
    req_detail: 'A complete bill of materials in a standard format for every release',
    source: 'NTIA, The Minimum Elements For a Software Bill of Materials',
    source_url: 'https://www.ntia.gov/report/2021/minimum-elements-software-bill-materials-sbom',
    orch_artifact: 'package-lock.json pins every dependency by digest',
    artifact_url: null,
    honest_caveats: 'A lockfile is not an SBOM. SLSA: NOT_CLAIMED, at every level.',
  },
  {
    req_id: 'SI7-1',
    requirement: 'Model / Data Integrity Check (SI-7)',
    req_detail: 'Tampering with recorded decisions is found by recomputing what was recorded',
    source: 'NIST SP 800-53 Rev. 5, SI-7',
    source_url: 'https://csrc.nist.gov/pubs/sp/800/53/r5/upd1/final',
    orch_artifact: 'Receipt chains (SHA-256) and lake chains (SHA3-256), re-walked to genesis',
    artifact_url: '/api/orch/v1/khipu/organs',
    honest_caveats: 'Finds what was altered after it was recorded; agreement between replicas is Conjecture 2.',
  },
  {
    req_id: 'TEVV-1',
    requirement: 'TEVV Results in Security Authorization Package',
    req_detail:
      'Tests of the locked formulas that the service calls run for the request and travel in the evidence pack',
    source: 'NIST AI 100-1 (AI RMF 1.0), MEASURE',
    source_url: 'https://doi.org/10.6028/NIST.AI.100-1',
    orch_artifact: 'Property checks of the locked formulas that the service calls',
    artifact_url: '/api/orch/v1/formula-tiers',
    honest_caveats: `Property checks look for counterexamples and prove nothing; ${KERNEL_PROOFS}.`,
  },
  {
    req_id: 'RA-1',
    requirement: 'Runtime Assurance / Continuous Monitoring',
    req_detail: 'Every component is checked when asked, and the readings are exported',
    source: 'NIST SP 800-137',
    source_url: 'https://csrc.nist.gov/pubs/sp/800/137/final',
    orch_artifact:
      'Readiness checks and metrics; gates threat-signature-scan and pii-egress-guard; lambda floor 0.90, which can hold and never lets pass',
    artifact_url: '/api/readyz',
    honest_caveats: 'Full tracing-span export is a roadmap item.',
  },
  {
    req_id: 'IV-1',
    requirement: 'Independent Verifiability',
    req_detail: 'Anybody verifies a signed receipt offline with the published public key',
    source: 'DSSE v1; RFC 6962',
    source_url: 'https://github.com/secure-systems-lab/dsse',
    orch_artifact: 'Signed receipts with inclusion proofs, verified in a browser or on the command line',
    artifact_url: '/api/orch/cosign.pub',
    honest_caveats: 'A receipt signed with the demo key shows the mechanism and never counts as production.',
  },
  {
    req_id: 'ATO-1',
    requirement: 'ATO / IL5 / FedRAMP-High Accreditation',
    req_detail: 'Authorization to operate by an accrediting authority',
    source: 'NIST SP 800-37 Rev. 2',
    source_url: 'https://csrc.nist.gov/pubs/sp/800/37/r2/final',
    orch_artifact: 'none',
    artifact_url: null,
    honest_caveats: 'A governance overlay that is not accredited: no ATO, IL5 or FedRAMP-High authorization exists.',
  },
]
