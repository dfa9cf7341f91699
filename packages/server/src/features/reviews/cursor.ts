/** Where a page of reviews ended: a time and a key, readable and worth nothing to whoever alters it. */
import { InputError } from '../../errors.ts'

export interface Place {
  rank: number
  key: string
}

const CURSOR = /^(\d{1,16})-([0-9a-f]{64})$/

export const cursorOf = (place: Place | null): string | null => (place === null ? null : `${place.rank}-${place.key}`)

export function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null
  const [, rank, key] = CURSOR.exec(cursor) ?? []
  if (rank === undefined || key === undefined || !Number.isSafeInteger(Number(rank)))
    throw new InputError([{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'pattern' }])
  return { rank: Number(rank), key }
}
