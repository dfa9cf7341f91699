// A signed ledger export of the size given, written to the file given, and its key beside it.

import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { exportLines } from '../../packages/server/src/ledger/export.ts'
import { openLedger } from '../../packages/server/src/ledger/ledger.ts'
import { benchFolder } from '../folder.ts'
import { draftOf, settingsOf } from './receipts.ts'

const [size, file] = [Number(process.argv[2]), process.argv[3]!]
const data = benchFolder()
const ledger = await openLedger(settingsOf(data))
let next = 0
await Promise.all(
  Array.from({ length: 256 }, async () => {
    while (next < size) await ledger.append(draftOf(next++))
  }),
)
await ledger.checkpointNow()
const out = createWriteStream(file)
for await (const line of exportLines(ledger.reader)) if (!out.write(`${line}\n`)) await once(out, 'drain')
out.end()
await once(out, 'finish')
writeFileSync(`${file}.pem`, ledger.signer.publicKeyPem!)
await ledger.close()
process.stdout.write(`${size}\n`)
