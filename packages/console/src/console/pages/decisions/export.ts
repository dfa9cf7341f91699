/** The filtered list as JSON lines, newest first: every page of it, one row a line, as the ledger gives them. */
import type { Client, ReceiptRow } from '@orch/client'
import type { WireFilters } from '../../ledger/filters.ts'

const PAGE = 200

async function* pagesOf(client: Client, query: WireFilters): AsyncGenerator<readonly ReceiptRow[]> {
  let cursor: string | null | undefined
  do {
    const page = await client.khipu.ledger({ query: { ...query, limit: PAGE, ...(cursor ? { cursor } : {}) } })
    yield page.receipts
    cursor = page.next_cursor
  } while (cursor !== null)
}

export async function exportLines(
  client: Client,
  query: WireFilters,
  onCount: (count: number) => void,
): Promise<string> {
  const lines: string[] = []
  for await (const rows of pagesOf(client, query)) {
    lines.push(...rows.map((row) => `${JSON.stringify(row)}\n`))
    onCount(lines.length)
  }
  return lines.join('')
}
