/** The tools whose names begin with what was typed. Receipts hold the names of registered tools alone, so these are read
 *  from the newest ones that hold it; a whole name, or one that begins none, is left as it was typed. */
import { OrchError, OrchUnreachable } from '@orch/client'
import { useCallback } from 'react'
import { useService } from '../data/service.tsx'

const LOOKED_AT = 200
const MAX_WORDS = 64

export function useToolNames(): (typed: string) => Promise<string[]> {
  const { client } = useService()
  return useCallback(
    async (typed) => {
      const query = { q: typed.slice(0, MAX_WORDS), limit: LOOKED_AT }
      const page = await client.khipu.ledger({ query }).catch((error: unknown) => {
        // The list itself asks next and says what is wrong.
        if (error instanceof OrchError || error instanceof OrchUnreachable) return null
        throw error
      })
      const beginning = typed.toLowerCase()
      const known = page?.receipts.map(({ tool }) => tool ?? '') ?? []
      const names = new Set(known.filter((name) => name.toLowerCase().startsWith(beginning)))
      return names.has(typed) ? [typed] : [...names].sort()
    },
    [client],
  )
}
