/** The audit as it is answered and recorded. */
import { flags } from '../../../../domain/observation.ts'
import { portableDigest } from '../../../../domain/portable-digest.ts'
import type { Call } from '../../../../operation.ts'
import type { Draft } from '../../../../ports.ts'
import { COMPONENT } from '../component.ts'
import { ledgerDraft } from '../ledger-result.ts'
import { auditPanel } from './audit.ts'
import { checkPanel } from './check.ts'
import type { AuditBody } from './schemas.ts'

export const RESEARCH_AUDIT = 'finance.researchAudit'
const BASIS =
  'rules of eligibility applied to the caller’s records in the order of exclusion_reasons; nothing was fetched, and nothing was estimated anew'

export function auditDraft(
  { body, inputSource }: Pick<Call<unknown, unknown, AuditBody>, 'body' | 'inputSource'>,
  revision: string,
): Draft {
  checkPanel(body)
  const inputsDigest = portableDigest(body)
  const result = auditPanel(body)
  const answer = {
    ok: result.status === 'AUDITED',
    label: 'MODELED',
    basis: BASIS,
    source_revision: revision,
    component: COMPONENT,
    input_source: inputSource,
    inputs: {
      label: 'SAMPLE',
      verified: false,
      source_url: body.source_url ?? null,
      source_fetched: false,
      inputs_sha256: inputsDigest,
    },
    ...result,
    ...flags,
  }
  return ledgerDraft(RESEARCH_AUDIT, answer, inputsDigest, inputSource)
}
