/** "Verify here": the one verifier, run in this page over a receipt that was just fetched, under the keys that the service
 *  publishes. Whose keys those are is for the reader to compare by another way. */
import { type Client, OrchError, OrchUnreachable, type Reply } from '@orch/client'
import { importPublicKey, type Trust, type VerificationReport, verifyReceipt } from '@orch/core'
import { useCallback, useEffect, useState } from 'react'
import { useService } from './service.tsx'

export type ReceiptRecord = Reply<'receipts.get'>
type Ring = Reply<'keys.list'>

export interface Verification {
  report: VerificationReport
  record: ReceiptRecord
  ring: Ring
  /** Milliseconds, all checks together. */
  took: number
}

function trustOf({ keys, log_vkey }: Ring, digest: string): Trust {
  return {
    keys: keys.flatMap(({ public_key_pem, kind, from, to }) => {
      const key = importPublicKey(public_key_pem)
      return key === null ? [] : [{ key, kind, from, to }]
    }),
    logKeys: [log_vkey],
    expectedDigest: digest,
    checkedAt: new Date().toISOString(),
    clock: () => performance.now(),
  }
}

async function verifyHere(client: Client, digest: string): Promise<Verification> {
  const [record, ring] = await Promise.all([client.receipts.get({ params: { digest } }), client.keys.list()])
  const started = performance.now()
  const report = await verifyReceipt(record, trustOf(ring, digest))
  return { report, record, ring, took: performance.now() - started }
}

interface Verifying {
  found: Verification | null
  fault: OrchError | OrchUnreachable | null
  isBusy: boolean
  run(): void
}

/** What was verified is forgotten with the digest it was about. */
export function useVerifyHere(digest: string): Verifying {
  const { client, noteAnswer } = useService()
  const [state, setState] = useState<Omit<Verifying, 'run'>>(IDLE)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another receipt is not verified yet
  useEffect(() => setState(IDLE), [digest])
  const run = useCallback(() => {
    setState({ ...IDLE, isBusy: true })
    verifyHere(client, digest).then(
      (found) => setState({ ...IDLE, found }),
      (error: unknown) => {
        if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
        noteAnswer(error)
        setState({ ...IDLE, fault: error })
      },
    )
  }, [client, digest, noteAnswer])
  return { ...state, run }
}

const IDLE = { found: null, fault: null, isBusy: false }
