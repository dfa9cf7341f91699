// The rows a ledger stores, inserted in batches of 256 into its own tables with the same durability: their indexes and the
// triggers that refuse a fork are paid for, hashing, signing and the tree are not. Prints the processor time of one by thread,
// and rows/s.
import { randomBytes } from 'node:crypto'
import { bodyTemplate, bodyText } from '@orch/core'
import { sqliteStore } from '../../packages/server/src/ledger/store/sqlite/store.ts'
import { benchFolder } from '../folder.ts'
import { ownMeter } from '../thread-clocks.ts'
import { draftOf } from './receipts.ts'

const seconds = Number(process.argv[2])
const data = benchFolder()
const store = sqliteStore(data)
await store.open()
const db = store.database()
const insert = db.prepare(
  'INSERT INTO receipts (node_index, chain_id, seq, prev, digest, lake, body, sig, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
)
const body = new TextEncoder().encode(bodyText(bodyTemplate(draftOf(0), 'demo'), '0'.repeat(64), 0))
const signature = randomBytes(71)
const heads = Array.from({ length: 8 }, () => Buffer.alloc(32))
let index = 0
const batch = () => {
  db.exec('BEGIN IMMEDIATE')
  for (let at = 0; at < 256; at += 1) {
    const digest = randomBytes(32)
    const chain = index % heads.length
    insert.run(index, chain, Math.floor(index / heads.length), heads[chain]!, digest, digest, body, signature, 1)
    heads[chain] = digest
    index += 1
  }
  db.exec('COMMIT')
}
for (let warm = 0; warm < 20; warm += 1) batch()
const before = index
const threadTimes = ownMeter()
const started = performance.now()
while (performance.now() - started < seconds * 1_000) batch()
const rate = ((index - before) / (performance.now() - started)) * 1_000
const threads = threadTimes(index - before)
process.stdout.write(`${threads}${rate}\n`)
await store.close()
