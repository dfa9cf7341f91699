// What the reader brings along. None of it may come from the thing that is being verified.
import type { PublicKey } from '../p256.ts'

export const KEY_KINDS = Object.freeze(['production', 'demo', 'caller-supplied'] as const)
export type KeyKind = (typeof KEY_KINDS)[number]

/** What a served envelope says of its key in words. The sentences are part of the format: no signature covers them, so
 *  an altered one is refused, and whoever holds the envelope alone is told that a demo key signed it. */
export const KEY_HONESTY = Object.freeze({
  demo: 'signed with a demo key: it shows the mechanism and never counts as production',
  production: 'signed with a production key held outside this service',
  unsigned: 'unsigned: the chain still verifies, no signature is claimed',
} as const)

export type TrustedKey = {
  key: PublicKey
  kind: KeyKind
  /** Validity in UTC, ISO 8601 with milliseconds; open where absent or null. */
  from?: string | null
  to?: string | null
}

/** What a ledger that holds the receipt found out about it. */
export type ChainContext = {
  /** Body bytes of the receipt's predecessor in its chain; null when the ledger holds none. */
  previous: Uint8Array | null
  /** The part of the ledger that was walked again and ended well before or at its first break. */
  walk: {
    from: number
    to: number
    broken_at: number | null
    /** Its chain is known to be broken, and not at which index. */
    broken_somewhere?: boolean
  }
  /** Where the ledger keeps the receipt. */
  node_index: number
  /** Digest of what it keeps there. Leave it out only where the receipt was looked up by its digest. */
  digest?: string
}

export type Trust = {
  keys: readonly TrustedKey[]
  /** Verifier keys of transparency logs, as signed notes spell them. */
  logKeys?: readonly string[]
  logOrigin?: string
  chain?: ChainContext
  /** The digest the reader asked for. */
  expectedDigest?: string
  /** A demo signature is then not enough. */
  requireProduction?: boolean
  checkedAt?: string
  /** Milliseconds that only grow, for a reader who shows how long each check took. */
  clock?: () => number
}

export const pinnedKeys = (trust: Trust): PublicKey[] => trust.keys.map(({ key }) => key)
