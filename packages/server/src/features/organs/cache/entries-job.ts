/** The jobs of N19 in the thread of the indexes. */
import { derivedIndexes } from '../search/derived.ts'
import { StoredEntry } from './entries.ts'
import { KnownEntries } from './known-entries.ts'

const MAX_SIZE = 512 * 1024 * 1024

export const { ask, add, drop } = derivedIndexes(StoredEntry, MAX_SIZE, () => new KnownEntries())
