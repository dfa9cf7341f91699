/** The process of a witness: `orch witness`. It has a folder and a key of its own and needs nothing of the service it
 *  watches, best not even the machine. */
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { parseVkey } from '@orch/core'
import { loadWitnessKey } from '../../adapters/signers/log-key.ts'
import { Witness, witnessServer } from '../../adapters/witness/witness.ts'
import { systemClock } from '../../platform/clock.ts'
import { openDataFolder } from '../../platform/data-folder.ts'
import { lockFolder } from '../store/sqlite/store.ts'

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', default: './witness' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8090' },
    name: { type: 'string', default: 'orch-witness' },
    log: { type: 'string', multiple: true },
  },
})

async function main(): Promise<void> {
  const port = /^\d{1,5}$/.test(flags.port) ? Number(flags.port) : Number.NaN
  if (!(port <= 65_535)) throw new Error('--port is a whole number from 0 to 65535')
  for (const vkey of flags.log ?? [])
    if (parseVkey(vkey) === null) throw new Error('--log is the key of a log as /log/key gives it')
  const folder = openDataFolder(flags.data)
  // Held by this name: a lock that nobody refers to is collected, and let go.
  const fence = lockFolder(folder)
  const key = loadWitnessKey(folder, flags.name)
  const pinned = flags.log ?? null
  const witness = await Witness.open({ folder, key, pinned, nowMs: () => systemClock.now() })
  const server = witnessServer(witness, key.vkey)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, flags.host, resolve)
  })
  const { address, port: bound, family } = server.address() as AddressInfo
  process.stdout.write(
    [
      `witness on http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
      `data     ${folder}`,
      `key      ${key.vkey}`,
      `logs     ${pinned === null ? 'any, by the first key it sees; --log VKEY keeps named ones alone' : pinned.length}`,
      '',
    ].join('\n'),
  )
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.once(signal, () => {
      server.close(() => {
        fence.close()
        process.exit(0)
      })
      server.closeIdleConnections()
      setTimeout(() => process.exit(0), 5_000).unref()
    })
}

main().catch((error: Error) => {
  process.stderr.write(`orch cannot start the witness: ${error.message}\n`)
  process.exitCode = 1
})
