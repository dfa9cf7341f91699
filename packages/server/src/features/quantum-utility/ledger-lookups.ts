/** What the ledger knows of receipts and baselines. A document says where to look; the signed receipt is what counts. */
import { collection } from '../../domain/collection.ts'
import { documentKey } from '../../domain/document-key.ts'
import { type Partition, partitionName } from '../../domain/partition.ts'
import { receiptChecks } from '../../domain/receipt-checks.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { sees } from '../../domain/visibility.ts'
import { closed, Hex64 } from '../../domain/wire.ts'
import type { Row } from '../../ledger/contract.ts'
import type { Ports } from '../../ports.ts'
import { BASELINE } from './identifiers.ts'
import type { QuantumUtilityPort } from './ports.ts'
import { digestsOf } from './receipt.ts'
import type { ReplayReceipt } from './schemas.ts'

const SPACE = 'quantum-utility.baseline'

interface BaselineId extends Partition {
  receipt: string
}

const baselines = collection({
  space: SPACE,
  key: (id: BaselineId) => documentKey(SPACE, partitionName(id), id.receipt),
  owner: partitionName,
  rank: (_value, now) => now,
  schema: closed({ receipt_sha256: Hex64 }),
})

const idOf = ({ namespace, owner }: Partition, { receipt_sha256 }: ReplayReceipt): BaselineId => ({
  ...{ namespace, owner, receipt: receipt_sha256 },
})

type Lookups = Pick<QuantumUtilityPort, 'receiptsFound' | 'isRecorded' | 'rememberBaseline'>

export function ledgerLookups(ledger: Ports['ledger'], clock: Ports['clock']): Lookups {
  const { reader } = ledger
  const check = receiptChecks(ledger, reader)
  /** Its bytes are those of the digest it is kept under, and the signature is ours. */
  const holds = async (row: Row): Promise<boolean> => {
    const { digest, signature } = await check(row)
    return digest === row.digest && signature !== false
  }
  return {
    async receiptsFound(caller, digests) {
      const found: string[] = []
      for (const digest of digests) {
        const row = await reader.byDigest(digest)
        if (row !== null && sees(caller, row) && (await holds(row))) found.push(digest)
      }
      return found
    },
    async isRecorded(caller, receipt) {
      // What it says its digests are is the sender's word.
      if (!Object.values(digestsOf(receipt)).every(Boolean)) return false
      const index = (await baselines.get(reader, idOf(caller, receipt)))?.row.nodeIndex ?? null
      const row = index === null ? null : await reader.byIndex(index)
      return row !== null && isAbout(row, receipt) && (await holds(row))
    },
    async rememberBaseline(caller, receipt) {
      const id = idOf(caller, receipt)
      const known = await baselines.get(reader, id)
      return known === null ? [baselines.write(id, null, { receipt_sha256: receipt.receipt_sha256 }, clock.now())] : []
    },
  }
}

function isAbout(row: Row, { input_sha256, output_sha256 }: ReplayReceipt): boolean {
  const body = bodyOf(row)
  if (body?.kind !== 'analysis') return false
  const { payload } = body
  return (
    payload.operation === BASELINE && payload.input_sha256 === input_sha256 && payload.output_sha256 === output_sha256
  )
}
