/** What the gates did in this process since it started, for the reader's namespace: what was recorded alone. */
import type { Gates, Governance, Policies } from '../../governance/contract.ts'
import type { Caller } from './admission.ts'

export type GateCounts = ReturnType<typeof gateCounts>

interface GateSources {
  gates: Pick<Gates, 'status'>
  policies: Pick<Policies, 'status'>
  governance: Pick<Governance, 'tallies'>
}

export function gateCounts({ gates, policies, governance }: GateSources, { namespace }: Caller) {
  const { since, gates: tallies, ...counts } = governance.tallies(namespace)
  const [rules, policy] = [gates.status(), policies.status()]
  return {
    namespace,
    since,
    in_charge: rules.ready && policy.ready,
    reason: rules.reason ?? policy.reason,
    decisions: { ...counts.decisions },
    verdicts: { ...counts.verdicts },
    output_scans: { ...counts.outputScans },
    gates: tallies.map(({ name, evaluated, fired, timed_out, errors }) => ({
      ...{ name, evaluated, fired, timed_out, errors },
    })),
  }
}
