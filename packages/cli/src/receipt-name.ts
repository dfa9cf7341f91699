// A receipt as people name it: its digest, the beginning of one, its index in the ledger, or `latest`.
import type { Client } from '@orch/client'
import { usage } from './exit.ts'

export const RECEIPT_NAME = 'DIGEST|PREFIX|INDEX|latest'

const DIGEST = /^[0-9a-f]{64}$/
const PREFIX = /^[0-9a-f]{4,63}$/
/** A longer row of digits is the beginning of a digest. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** The digest that a name stands for. A name that fits several receipts is refused, never resolved to one of them. */
export async function resolveReceipt(client: Client, args: readonly string[], signal: AbortSignal): Promise<string> {
  const [given] = args
  if (given === undefined) throw usage(`no receipt is named: give one ${RECEIPT_NAME}; orch ledger ls lists them`)
  const name = given
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')
  if (DIGEST.test(name)) return name
  if (name === 'latest') return at(client, undefined, signal)
  if (INDEX.test(name)) return at(client, Number(name), signal)
  if (PREFIX.test(name)) return beginning(client, name, signal)
  throw usage(
    `${JSON.stringify(given)} names no receipt: give a digest or at least 4 of its hex characters, an index such as 0, or latest`,
  )
}

async function at(client: Client, index: number | undefined, signal: AbortSignal): Promise<string> {
  const cursor = index === undefined ? undefined : `i${index + 1}`
  const { receipts, ledger_size } = await client.call('khipu.ledger', { query: { limit: 1, cursor } }, { signal })
  const [row] = receipts
  if (row && (index === undefined || row.node_index === index)) return row.digest
  if (ledger_size === 0)
    throw usage('the ledger is empty: make a receipt with orch govern "What is the capital of France?"')
  throw usage(`INDEX ${index}: there is no such receipt for you to see; the ledger has 0 to ${ledger_size - 1}`)
}

async function beginning(client: Client, prefix: string, signal: AbortSignal): Promise<string> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await client.call('khipu.ledger', { query: { q: prefix, limit: 2, cursor } }, { signal })
    found.push(...page.receipts.map(({ digest }) => digest))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && found.length < 2)
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw usage(`PREFIX ${prefix}: no receipt begins so; orch ledger ls lists them`)
  throw usage(
    `PREFIX ${prefix}: several receipts begin so; write more of it, for example ${found[0]!.slice(0, prefix.length + 8)}`,
  )
}
