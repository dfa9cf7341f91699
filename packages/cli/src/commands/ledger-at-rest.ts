// Jobs on the data folder of a ledger: each is one run of the ledger tool and its result.

import { existsSync } from 'node:fs'
import { type Command, command, type Flags, type Invocation } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { readRing } from '../key-ring.ts'
import { DATA_FLAG, dataOf, resultText, runServerTool } from '../server-process.ts'

export const importLedger = toolCommand({
  job: 'import',
  summary: 'Read a ledger export into an empty data folder, byte for byte',
  usage: 'FILE [--data FOLDER]',
  maxArguments: 1,
  example: 'orch ledger import ledger.jsonl --data imported',
  argsOf({ args, settings }) {
    const [file] = args
    if (file === undefined) throw usage('name one FILE: orch ledger import ledger.jsonl --data imported')
    if (!existsSync(file)) throw usage(`FILE ${file} does not exist: orch ledger export --out ${file} makes one`)
    // What the file says of its log is held to the keys pinned here.
    const pinned = readRing(settings.configFolder).logKeys.flatMap((vkey) => ['--log-key', vkey])
    return ['--from', file, ...pinned]
  },
})

export const migrate = toolCommand({
  job: 'migrate',
  summary: 'Copy the ledger to another store, re-walk both sides and compare their heads',
  usage: '--to URL|FOLDER [--data FOLDER]',
  example: 'orch ledger migrate --data data --to migrated',
  flags: { to: { type: 'string', value: 'URL|FOLDER', help: 'postgres://... or an empty data folder' } },
  argsOf({ flags }) {
    const to = (flags as { to?: string }).to
    if (to === undefined) throw usage('--to is missing: --to postgres://user@host/orch or --to FOLDER')
    return ['--to', to]
  },
})

export const snapshot = toolCommand({
  job: 'snapshot',
  summary: 'Back the ledger up, its service running or not: shards of which six of ten suffice',
  usage: '[--out FOLDER] [--database] [--keep N] [--data FOLDER]',
  example: 'orch ledger snapshot --data data --out shards',
  flags: {
    data: { ...DATA_FLAG.data, help: 'data folder of the ledger' },
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

export const restore = toolCommand({
  job: 'restore',
  summary: 'Rebuild a ledger from its snapshot shards into an empty data folder',
  usage: 'FOLDER [--data FOLDER]',
  maxArguments: 1,
  example: 'orch ledger restore shards --data restored',
  argsOf({ args }) {
    const [folder] = args
    if (folder === undefined)
      throw usage('name the FOLDER with the snapshots: orch ledger restore shards --data restored')
    if (!existsSync(folder))
      throw usage(`FOLDER ${folder} does not exist: orch ledger snapshot --out ${folder} makes one`)
    return ['--from', folder]
  },
})

type Accepted = { 'guard-head'?: string; 'store-head'?: string; reason?: string }

const HEAD = /^(?:none|(?:0|[1-9]\d{0,15}):[0-9a-f]{64})$/

export const acceptRestore = toolCommand({
  job: 'accept-restore',
  summary: 'Go on with a restored ledger: record a signed receipt that names both heads',
  usage: '--guard-head HEAD --store-head HEAD --reason TEXT [--data FOLDER]',
  example:
    'orch ledger accept-restore --data data --guard-head "$GUARD_HEAD" --store-head "$STORE_HEAD" --reason "disk replaced"',
  flags: {
    'guard-head': { type: 'string', value: 'HEAD', help: 'what the guard holds, as the refused start printed it' },
    'store-head': { type: 'string', value: 'HEAD', help: 'what the store holds, as the refused start printed it' },
    reason: { type: 'string', value: 'TEXT', help: 'why, in 1 to 500 characters; it stands in the receipt' },
  },
  argsOf({ flags }) {
    const { 'guard-head': guard = '', 'store-head': store = '', reason = '' } = flags as Accepted
    if (!HEAD.test(guard) || !HEAD.test(store))
      throw usage('--guard-head and --store-head are SIZE:ROOT or none, for example as the refused start printed them')
    if (reason === 'WHY' || !/^[^\p{Cc}]{1,500}$/u.test(reason))
      throw usage('--reason says why in 1 to 500 characters on one line, for example "disk replaced"')
    return ['--guard-head', guard, '--store-head', store, '--reason', reason]
  },
})

type Spec = Pick<Command, 'summary' | 'usage' | 'maxArguments' | 'example'> & {
  job: string
  flags?: Flags
  /** Further arguments of the job; throws on a misuse. */
  argsOf?(call: Invocation): string[]
}

function toolCommand({ job, flags = {}, argsOf = () => [], ...words }: Spec): Command {
  return command({
    name: `ledger ${job}`,
    ...words,
    flags: { ...DATA_FLAG, ...flags } as Flags,
    async run(call) {
      const result = await runServerTool('ledger', job, ['--data', dataOf(call.settings), ...argsOf(call)], call)
      await call.terminal.out(call.flags.json ? `${JSON.stringify(result)}\n` : resultText(result))
      return EXIT.done
    },
  })
}
