/** What the schedule of the steward leaves in the ledger. */
import { DEFAULT_NAMESPACE } from '../../access.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports } from '../../ports.ts'
import { type AuditRecord, findingsDigest } from './audit.ts'

const CHAIN = 'steward'
const NO_FINDINGS = findingsDigest([])

/** One receipt when the findings are others than those of the newest receipt, and none while they are the same. */
export async function recordChange(
  { ledger, clock }: Pick<Ports, 'ledger' | 'clock'>,
  { digest, id, checks }: AuditRecord,
): Promise<void> {
  if ((await recordedDigest(ledger)) === digest) return
  const findings = checks.filter(({ state }) => state !== 'PASS')
  await ledger.append({
    ...{ ns: DEFAULT_NAMESPACE, chain: CHAIN, kind: 'analysis', ts_utc: isoNow(clock), request_id: id, policy: null },
    actor: { owner: 'orch', key_id: null, auth_mode: 'internal' },
    payload: {
      operation: 'steward.audit',
      findings_sha256: digest,
      findings: findings.map(({ id: check, state, subjects }) => ({ check, state, subjects: subjects.slice(0, 20) })),
      label: 'MEASURED',
    },
  })
}

async function recordedDigest({ reader }: Ports['ledger']): Promise<string> {
  const chain = (await reader.chains()).find(({ ns, chain: name }) => ns === DEFAULT_NAMESPACE && name === CHAIN)
  const row = chain === undefined ? null : await reader.byIndex(chain.headIndex)
  const payload = row === null ? null : (bodyOf(row)?.payload ?? null)
  return typeof payload?.findings_sha256 === 'string' ? payload.findings_sha256 : NO_FINDINGS
}
