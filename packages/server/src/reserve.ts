/** Writing documents ahead of a receipt, in turns with the recorder’s own requests for them. */
import { ServiceError } from './errors.ts'
import type { Ledger, Reserve } from './ports.ts'
import type { Turns } from './turns.ts'

const RETRIES = 5

export function createReserve(ledger: Pick<Ledger, 'writeDocuments'>, turns: Turns): Reserve {
  return async (decide) => {
    const first = await decide()
    const contested = first.documents[0]
    if (contested === undefined) return first
    const name = `${contested.space}:${contested.key}`
    if (!turns.taken(name) && (await written(ledger, first.documents))) return first
    return turns.take(name, async () => {
      for (let retry = 1; ; retry += 1) {
        const decided = await decide()
        if (decided.documents.length === 0) return decided
        if (retry === RETRIES) {
          await ledger.writeDocuments(decided.documents)
          return decided
        }
        if (await written(ledger, decided.documents)) return decided
      }
    })
  }
}

type Documents = Parameters<Ledger['writeDocuments']>[0]

async function written(ledger: Pick<Ledger, 'writeDocuments'>, documents: Documents): Promise<boolean> {
  try {
    await ledger.writeDocuments(documents)
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'state_conflict') return false
    throw error
  }
}
