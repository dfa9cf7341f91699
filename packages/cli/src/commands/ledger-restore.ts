import { existsSync } from 'node:fs'
import { usage } from '../exit.ts'
import { toolCommand } from '../tool-command.ts'

export default toolCommand({
  job: 'restore',
  summary: 'Rebuild a ledger from its snapshot shards into an empty data folder',
  usage: 'FOLDER [--data FOLDER]',
  example: 'orch ledger restore shards --data restored',
  argsOf({ args }) {
    const [folder] = args
    if (folder === undefined || args.length > 1) throw usage('name the folder with the snapshots')
    if (!existsSync(folder)) throw usage(`${folder} does not exist`)
    return ['--from', folder]
  },
})
