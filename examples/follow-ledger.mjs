// @ts-check
// Follow the ledger and check every link as it arrives: a service that drops, repeats or reorders a receipt is caught.
// Run: node examples/follow-ledger.mjs [address, or ORCH_BASE_URL, or http://127.0.0.1:8080] [stop after N receipts]
import { createClient, OrchUnreachable } from '@orch/client'
import { GENESIS_PREV, sha256Hex } from '@orch/core'

const address = process.env.ORCH_BASE_URL || 'http://127.0.0.1:8080'
const [baseUrl = address, most] = process.argv.slice(2)
const client = createClient({ baseUrl })
/** @type {Map<string, string>} */
const heads = new Map()
let seen = 0

/** @param {unknown} error @returns {never} */
const failed = (error) => {
  if (!(error instanceof OrchUnreachable)) throw error
  process.stderr.write(`no service answers at ${baseUrl}: start one with npm start, or set ORCH_BASE_URL\n`)
  process.exit(8)
}
async function follow() {
  for await (const { event, id, data } of client.events({ after: -1 })) {
    if (event === 'reset') throw new Error('the ledger is shorter than what was seen of it')
    const row = /** @type {import('@orch/client').ReceiptRow} */ (data)
    const bytes = await client.receipts.canonical({ params: { digest: row.digest } })
    const body = JSON.parse(new TextDecoder().decode(bytes))
    const chain = `${body.ns}/${body.chain}`
    const link = sha256Hex(bytes) === row.digest && body.prev === (heads.get(chain) ?? GENESIS_PREV)
    if (id !== seen || !link) throw new Error(`receipt ${id} does not follow what came before it`)
    heads.set(chain, row.digest)
    seen += 1
    process.stdout.write(`${id} ${row.kind} ${chain}#${row.seq} ${row.digest}\n`)
    if (seen === Number(most)) break
  }
}
await follow().catch(failed)
