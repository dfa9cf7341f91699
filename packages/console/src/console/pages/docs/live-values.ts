/** Values for the parameters of paths that exist in this service now: the newest receipt, the newest review, the tree. */
import { useReading } from '../../data/reading.ts'
import type { LiveValues } from './call-form.ts'

export interface Live {
  /** Whether the service was asked and answered. */
  isKnown: boolean
  /** By operation, because one name means different things. */
  of(operationId: string): LiveValues
}

const MAX_TILE = 256
const DIGESTS = ['digest', 'receipt_hash', 'receipt_id']

export function useLiveValues(): Live {
  const receipts = useReading('khipu.ledger', () => ({ query: { limit: 1 } }), '')
  const reviews = useReading('reviews.list', () => ({ query: { limit: 1 } }), '')
  const log = useReading('lake.log', () => ({}), '')
  const digest = receipts.value?.receipts[0]?.digest
  const review = reviews.value?.items[0]?.review_id
  const width = Math.min(MAX_TILE, Number(log.value?.size ?? 0))
  const tile = width === 0 ? undefined : `000${width === MAX_TILE ? '' : `.p/${width}`}`
  const byDigest = Object.fromEntries(DIGESTS.map((name) => [name, digest]))
  const special: Readonly<Record<string, LiveValues>> = {
    'lake.proof': { id: digest },
    'log.tile': { rest: tile === undefined ? undefined : `0/${tile}` },
    'log.entries': { rest: tile },
    'console.item': { id: digest },
    'console.asset': { file: ownScript() },
  }
  return {
    isKnown: receipts.value !== null && log.value !== null,
    of: (id) => ({ ...byDigest, review_id: review, ...special[id] }),
  }
}

const ownScript = (): string | undefined =>
  document.querySelector<HTMLScriptElement>('script[src]')?.getAttribute('src')?.split('/').at(-1)
