/** The key under which words of requests are remembered. It lies in the store, for every node must hash alike: it keeps
 *  texts from being read out of single documents, not from somebody who holds the whole store and guesses. */
import { createHmac, randomBytes } from 'node:crypto'
import Type from 'typebox'
import { documentKey } from '../../../domain/document-key.ts'
import type { DocumentWrite, LedgerReader } from '../../../ledger/contract.ts'
import { readJson } from '../../../platform/shape.ts'
import type { KeyedHash } from '../experts/novelty.ts'

const SPACE = 'gdw.key'
const KEY = documentKey('shingles')
const PLACE = { space: SPACE, key: KEY, owner: '', state: '', rank: 0 }
const Secret = Type.Object({ secret: Type.String() })

export interface Hashing {
  hash: KeyedHash
  /** To be written with what was hashed, so that a step that is refused leaves no key either; nothing where the key is
   *  stored. */
  writes: DocumentWrite[]
}

/** The first step that is recorded brings the key; of two that do, the first one's holds and the other must hash again.
 *  What only rehearses writes nothing: without a key nothing is remembered that could be compared, so any will do. */
export function keyedHash(
  reader: Pick<LedgerReader, 'document'>,
  fresh = () => randomBytes(32).toString('hex'),
): () => Promise<Hashing> {
  let known: KeyedHash | null = null
  return async () => {
    if (known !== null) return { hash: known, writes: [] }
    const row = await reader.document(SPACE, KEY)
    if (row === null) {
      const secret = fresh()
      return { hash: hashWith(secret), writes: [{ ...PLACE, expect: 0, value: JSON.stringify({ secret }) }] }
    }
    known = hashWith((JSON.parse(row.value) as { secret: string }).secret)
    return { hash: known, writes: [] }
  }
}

/** Tells one key from another and nothing of either: no words of a request are hashed as this text. */
export const keyMark = (hash: KeyedHash): string => hash('\u0000the key of remembered words')

/** Of the key that lies in the store now; null where there is none or nobody wrote it here. */
export async function storedKeyMark(reader: Pick<LedgerReader, 'document'>): Promise<string | null> {
  const row = await reader.document(SPACE, KEY)
  const stored = row && readJson(Secret, row.value)
  return stored?.ok ? keyMark(hashWith(stored.value.secret)) : null
}

/** Texts whose hashes are kept: sessions speak of the same things in the same words. */
const MAX_KNOWN = 10_000
/** What is longer is hashed each time, so that what is kept has an end. */
const MAX_KNOWN_LENGTH = 100

function hashWith(secret: string): KeyedHash {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    // Not a part of a longer text, which would be kept for its sake.
    const hash = createHmac('sha256', secret).update(text).digest().toString('hex', 0, 8)
    if (known.size >= MAX_KNOWN) known.clear()
    if (text.length <= MAX_KNOWN_LENGTH) known.set(text, hash)
    return hash
  }
}
