import { toolCommand } from '../tool-command.ts'

export default toolCommand({
  job: 'snapshot',
  summary: 'Write the ledger as shards of which any six of ten suffice to restore it',
  usage: '[--out FOLDER] [--data FOLDER]',
  example: 'orch ledger snapshot --data data --out shards',
  flags: { out: { type: 'string', value: 'FOLDER', help: 'where to (default: snapshots in the data folder)' } },
  argsOf({ flags }) {
    const out = (flags as { out?: string }).out
    return out === undefined ? [] : ['--out', out]
  },
})
