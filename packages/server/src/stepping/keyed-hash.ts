/** The key under which words of requests are remembered. It lies in the store, for every node must hash alike: it keeps
 *  texts from being read out of single documents, not from somebody who holds the whole store and guesses. */
import { createHmac, randomBytes } from 'node:crypto'
import { documentKey } from '../domain/document-key.ts'
import type { KeyedHash } from '../domain/stepping/novelty.ts'
import { ServiceError } from '../errors.ts'
import type { Ledger } from '../ports.ts'

const SPACE = 'gdw.key'
const KEY = documentKey('shingles')

type Store = Pick<Ledger, 'reader' | 'writeDocuments'>

/** The first step of a ledger makes the key; of two nodes that do, the first one's holds. What only rehearses writes
 *  nothing: without a key nothing is remembered that could be compared, so any will do. */
export function keyedHash(ledger: Store, fresh = freshSecret): (rehearsal: boolean) => Promise<KeyedHash> {
  let known: KeyedHash | null = null
  return async (rehearsal) => {
    if (known !== null) return known
    const secret = (await storedSecret(ledger)) ?? (rehearsal ? null : await makeSecret(ledger, fresh()))
    if (secret === null) return hashWith(fresh())
    known = hashWith(secret)
    return known
  }
}

const freshSecret = (): string => randomBytes(32).toString('hex')

const hashWith =
  (secret: string): KeyedHash =>
  (text) =>
    createHmac('sha256', secret).update(text).digest('hex').slice(0, 16)

async function makeSecret(ledger: Store, secret: string): Promise<string> {
  const value = JSON.stringify({ secret })
  const write = { space: SPACE, key: KEY, expect: 0, owner: '', state: '', rank: 0, value }
  await ledger.writeDocuments([write]).catch((error) => {
    if (!(error instanceof ServiceError && error.code === 'state_conflict')) throw error
  })
  const made = await storedSecret(ledger)
  if (made === null) throw new Error('the key for remembered words was written and is not there')
  return made
}

async function storedSecret({ reader }: Pick<Ledger, 'reader'>): Promise<string | null> {
  const row = await reader.document(SPACE, KEY)
  return row === null ? null : (JSON.parse(row.value) as { secret: string }).secret
}
