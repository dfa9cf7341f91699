/** Effects of a namespace page by page, in the order of their ranks. */
import type { DocumentQuery, DocumentRow, LedgerReader } from '../../../ledger/contract.ts'
import { type EffectDocument, effectKey, effectPlace, effectSpace, toEffectDocument } from './effect-documents.ts'

export interface EffectQuery {
  state: string
  upTo?: number
  after?: DocumentQuery['after']
}

/** Gives the next `limit` of them; null at the end. It never turns back: what changes place meanwhile is met by the next
 *  walk, so a walk has an end whatever others do. */
export function effectPages(reader: LedgerReader, namespace: string, { after, ...query }: EffectQuery) {
  let last = after
  return async (limit: number): Promise<EffectDocument[] | null> => {
    const place = { space: effectSpace(namespace), ...query, ...(last === undefined ? {} : { after: last }) }
    const rows = await reader.documents({ ...place, order: 'asc', limit })
    last = rows.at(-1)
    return last === undefined ? null : rows.flatMap(readable)
  }
}

/** What is no effect, or stands in another one's place, is left for the integrity walk to name: whoever wrote it must not
 *  keep the others from leaving. */
function readable(row: DocumentRow): EffectDocument[] {
  try {
    const document = toEffectDocument(row)
    const { effect } = document
    const inPlace = row.key === effectKey(effectPlace(effect), effect.step, effect.kind)
    return inPlace && row.space === effectSpace(effect.namespace) ? [document] : []
  } catch {
    return []
  }
}
