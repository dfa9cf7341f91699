import { existsSync } from 'node:fs'
import { usage } from '../exit.ts'
import { readRing } from '../key-ring.ts'
import { toolCommand } from '../tool-command.ts'

export default toolCommand({
  job: 'import',
  summary: 'Read a ledger export into an empty data folder, byte for byte',
  usage: 'FILE [--data FOLDER]',
  example: 'orch ledger import ledger.jsonl --data imported',
  argsOf({ args, settings }) {
    const [file] = args
    if (file === undefined || args.length > 1) throw usage('name one ledger export')
    if (!existsSync(file)) throw usage(`${file} does not exist`)
    // What the file says of its log is held to the keys pinned here.
    const pinned = readRing(settings.configFolder).logKeys.flatMap((vkey) => ['--log-key', vkey])
    return ['--from', file, ...pinned]
  },
})
