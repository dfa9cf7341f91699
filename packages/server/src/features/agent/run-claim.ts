/** One idempotency key is one run, also where two nodes get it at the same moment: the first step claims the key in its
 *  own transaction, and the receipt of the whole run ends the claim. A claim that outlives its run lapses. */
import { documentKey } from '../../domain/document-key.ts'
import { partitionName } from '../../domain/partition.ts'
import { ServiceError } from '../../errors.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import type { Ports } from '../../ports.ts'

const SPACE = 'agent.run'
/** Beyond the run's own deadline: what its receipts may take. */
const GRACE_MS = 30_000

export interface Claims {
  /** The write for the first step; null without a key. */
  claim(now: number, deadlineMs: number): Promise<DocumentWrite | null>
  /** The write for the receipt of the run. */
  end(): Promise<DocumentWrite | null>
}

type Deps = { ledger: Pick<Ports['ledger'], 'reader'>; governance: Pick<Ports['governance'], 'matchesHead'> }

export function claimsOf({ ledger, governance }: Deps, { headers, caller }: Call, runId: string): Claims {
  const given = headers['idempotency-key']
  if (typeof given !== 'string') return { claim: async () => null, end: async () => null }
  const key = documentKey(caller.namespace, caller.owner, given)
  const owner = partitionName(caller)
  const readClaim = async () => {
    const row = await ledger.reader.document(SPACE, key)
    if (row !== null && !(await governance.matchesHead(row)))
      throw new ServiceError('stored_record_altered', 'the claim of this Idempotency-Key is not what its receipt says')
    return row
  }
  const write = (expect: number, state: string, rank: number) => ({
    space: SPACE,
    key,
    expect,
    owner,
    state,
    rank,
    value: JSON.stringify({ run_id: runId }),
  })
  return {
    async claim(now, deadlineMs) {
      const row = await readClaim()
      if (row !== null && (row.state === 'ended' || row.rank > now)) throw underWay()
      return write(row?.version ?? 0, 'running', now + deadlineMs + GRACE_MS)
    },
    async end() {
      const row = await readClaim()
      if (row === null || (JSON.parse(row.value) as { run_id: string }).run_id !== runId) throw underWay()
      return write(row.version, 'ended', row.rank)
    },
  }
}

const underWay = () =>
  new ServiceError('state_conflict', 'a run with this Idempotency-Key is under way; retry for its answer')
