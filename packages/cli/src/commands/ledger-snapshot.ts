import { toolCommand } from '../tool-command.ts'

export default toolCommand({
  job: 'snapshot',
  summary: 'Back the ledger up, its service running or not: shards of which six of ten suffice',
  usage: '[--out FOLDER] [--database] [--keep N] [--data FOLDER]',
  example: 'orch ledger snapshot --data data --out shards',
  flags: {
    out: { type: 'string', value: 'FOLDER', help: 'where to (default: snapshots in the data folder)' },
    database: { type: 'boolean', help: 'also copy the database, with sessions, reviews and effects' },
    keep: { type: 'string', value: 'N', help: 'how many copies of the database stay (default 7)' },
  },
  argsOf({ flags }) {
    const { out, database, keep } = flags as { out?: string; database?: boolean; keep?: string }
    return [
      ...(out === undefined ? [] : ['--out', out]),
      ...(database ? ['--database'] : []),
      ...(keep === undefined ? [] : ['--keep', keep]),
    ]
  },
})
