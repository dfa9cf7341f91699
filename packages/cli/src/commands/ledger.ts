// The ledger of a running service: its receipts as lists and files, and proofs about it.

import type { Input, ReceiptRow } from '@orch/client'
import { verifyReceipt } from '@orch/core'
import { command, type Invocation, SERVICE_FLAGS, showPage } from '../command.ts'
import { proveContinuation } from '../continuation.ts'
import { EXIT, type ExitCode, parseCount, usage } from '../exit.ts'
import { exportLines } from '../export-lines.ts'
import { readRing, trustFrom } from '../key-ring.ts'
import { writeOutputFile } from '../output-file.ts'
import { createProgress } from '../progress.ts'
import { reportText } from '../report-text.ts'
import { DATA_FLAG, dataOf, resultText, runServerTool } from '../server-process.ts'
import { connect } from '../service.ts'
import { printable, type Terminal } from '../terminal.ts'

// Receipts as lines of a list, and what a list can be narrowed by.
const filter = (value: string, help: string) => ({ type: 'string', value, help }) as const

const FILTER_FLAGS = {
  chain: filter('CHAIN', 'of this chain'),
  kind: filter('KIND', 'of this kind'),
  decision: filter('WORD', 'ALLOW, REVIEW or DENY'),
  owner: filter('NAME', 'by this owner of a credential'),
  agent: filter('NAME', 'by this agent, as its caller stated it'),
  tool: filter('TOOL', 'about this tool'),
  gate: filter('GATE', 'where this gate fired'),
  session: filter('ID', 'of this session'),
  signed: filter('HOW', 'true, false, demo, production or unsigned'),
  policy: filter('DIGEST', 'decided under these rules'),
  since: filter('TIME', 'not before, as 2026-01-02T03:04:05.000Z'),
  until: filter('TIME', 'before'),
  q: filter('HEX', 'whose digest begins so'),
} as const

type Filters = { [Name in keyof typeof FILTER_FLAGS]?: string }

/** The service checks the words: a mistyped one is refused there, never ignored. */
function filtersOf(flags: Filters): NonNullable<Input<'khipu.ledger'>['query']> {
  const names = (Object.keys(FILTER_FLAGS) as (keyof Filters)[]).filter((name) => flags[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, flags[name]])) as NonNullable<Input<'khipu.ledger'>['query']>
}

function rowText(row: ReceiptRow, { paint }: Pick<Terminal, 'paint'>): string {
  const signed = row.signed ? String(row.key_kind) : paint('yellow', 'unsigned')
  const decision = row.decision === 'DENY' ? paint('red', row.decision) : (row.decision ?? '-')
  const fields = [row.node_index, row.ts_utc, row.kind, decision, `${row.chain}#${row.seq}`, signed, row.digest]
  return `${fields.map((field) => (typeof field === 'string' ? safe(field) : field)).join('  ')}\n`
}

/** Colours are ours, every other control character is somebody else's. */
const safe = (text: string): string => (text.startsWith('\u001b[') ? text : printable(text))

const TAIL_FLAGS = {
  follow: { type: 'boolean', short: 'f', help: 'go on with every new receipt until interrupted' },
  lines: { type: 'string', short: 'n', value: 'N', help: 'begin with the last N (default 10, at most 200)' },
  jsonl: { type: 'boolean', help: 'one JSON object per receipt' },
  ...FILTER_FLAGS,
  ...SERVICE_FLAGS,
} as const

export const tail = command({
  name: 'ledger tail',
  summary: 'Show the newest receipts in order, and follow the ledger as it grows',
  usage: '[-f] [-n N] [filters]',
  flags: TAIL_FLAGS,
  example: 'orch ledger tail -n 3',
  async run(call) {
    const { flags, settings, terminal, signal } = call
    if (flags.follow && flags.json) throw usage('a stream is not one object: use --jsonl')
    const client = connect(settings)
    const limit = parseCount(flags.lines ?? '10')
    // Read before the page: what is appended in between is in the page, and shown once.
    const { size } = await client.call('lake.log', {}, { signal })
    const page = await client.call('khipu.ledger', { query: { ...filtersOf(flags), limit } }, { signal })
    const rows = [...page.receipts].reverse()
    if (flags.json) await terminal.out(`${JSON.stringify({ receipts: rows, ledger_size: page.ledger_size })}\n`)
    else for (const row of rows) await showRow(row, call)
    if (flags.follow) await follow(client, Math.max(size - 1, rows.at(-1)?.node_index ?? -1), call)
    return EXIT.done
  },
})

type TailCall = Invocation<typeof TAIL_FLAGS>

const showRow = (row: ReceiptRow, { flags, terminal }: TailCall): Promise<void> =>
  terminal.out(flags.jsonl ? `${JSON.stringify(row)}\n` : rowText(row, terminal))

async function follow(client: ReturnType<typeof connect>, after: number, call: TailCall): Promise<void> {
  const { terminal, signal, flags } = call
  const onConnection = (state: 'open' | 'lost') => {
    if (state === 'lost') terminal.say('connection lost, trying again')
  }
  for await (const event of client.events({ after, filters: filtersOf(flags), signal, onConnection })) {
    if (event.event === 'reset')
      terminal.say('the ledger is shorter than what was shown: it was rolled back or replaced')
    else await showRow(event.data as ReceiptRow, call)
  }
  signal.throwIfAborted()
}

export const ls = command({
  name: 'ledger ls',
  summary: 'List receipts, newest first',
  usage: '[--limit N] [--cursor CURSOR] [filters]',
  flags: {
    limit: { type: 'string', value: 'N', help: 'at most this many (default 50, at most 200)' },
    cursor: { type: 'string', value: 'CURSOR', help: 'go on where the page before ended' },
    jsonl: { type: 'boolean', help: 'one JSON object per receipt' },
    ...FILTER_FLAGS,
    ...SERVICE_FLAGS,
  },
  example: 'orch ledger ls --limit 5 --kind mint',
  async run({ flags, settings, terminal, signal }) {
    const limit = flags.limit === undefined ? undefined : parseCount(flags.limit)
    const query = { ...filtersOf(flags), limit, cursor: flags.cursor }
    const page = await connect(settings).call('khipu.ledger', { query }, { signal })
    return showPage(page, page.receipts, flags, terminal, (row) => rowText(row, terminal))
  },
})

export const show = command({
  name: 'ledger show',
  summary: 'Print one receipt with its envelope and proofs, as a file that orch verify reads',
  usage: 'DIGEST',
  flags: SERVICE_FLAGS,
  example: 'orch ledger show $DIGEST',
  async run({ args, flags, settings, terminal, signal }) {
    const digest = parseDigest(args)
    const record = await connect(settings).call('receipts.get', { params: { digest } }, { signal })
    await terminal.out(`${JSON.stringify(record, null, flags.json ? 0 : 2)}\n`)
    return EXIT.done
  },
})

function parseDigest(args: readonly string[]): string {
  const [digest = ''] = args
  if (args.length !== 1 || !/^[0-9a-f]{64}$/.test(digest)) throw usage('name one digest: 64 lower-case hex characters')
  return digest
}

type TakeLine = (line: string) => Promise<void>

export const exportLedger = command({
  name: 'ledger export',
  summary: 'Write the whole ledger as JSON lines that orch verify reads',
  usage: '[--out FILE] [--data FOLDER]',
  flags: {
    ...DATA_FLAG,
    ...SERVICE_FLAGS,
    out: { type: 'string', value: 'FILE', help: 'file to write (default stdout)' },
  },
  example: 'orch ledger export --out copy.jsonl',
  async run(call) {
    const { flags, terminal } = call
    let lines = 0
    if (flags.out === undefined) await produce(call, (line) => terminal.out(`${line}\n`))
    else
      await writeOutputFile(flags.out, (file) =>
        produce(call, async (line) => {
          lines += 1
          file.write(`${line}\n`)
        }),
      )
    if (flags.out !== undefined) {
      const result = { file: flags.out, receipts: Math.max(0, lines - 2) }
      await terminal.out(flags.json ? `${JSON.stringify(result)}\n` : `${result.receipts} receipts in ${result.file}\n`)
    }
    return EXIT.done
  },
})

/** From a data folder at rest, or from the service. */
async function produce(call: Invocation<{ data: (typeof DATA_FLAG)['data'] }>, take: TakeLine): Promise<void> {
  if (call.flags.data !== undefined) {
    await runServerTool('ledger', 'export', ['--data', call.flags.data], call, take)
    return
  }
  const progress = createProgress(call.terminal, call.settings.progress, 'export')
  try {
    for await (const line of exportLines(connect(call.settings), progress.update, call.signal)) await take(line)
  } finally {
    progress.end()
  }
}

export const prove = command({
  name: 'ledger prove',
  summary: 'Prove that a receipt is in the log, that the log only grew, or that a data folder holds from genesis',
  usage: 'DIGEST | --since CHECKPOINT | --data FOLDER',
  flags: {
    ...DATA_FLAG,
    since: { type: 'string', value: 'FILE', help: 'a checkpoint kept from before: the log must be its continuation' },
    ...SERVICE_FLAGS,
  },
  example: 'orch ledger prove --data data',
  run(call) {
    if (call.flags.since !== undefined) return proveGrowth(call, call.flags.since)
    return call.args.length > 0 ? proveReceipt(call) : proveLedger(call)
  },
})

async function proveLedger(call: Invocation): Promise<ExitCode> {
  const result = await runServerTool('ledger', 'prove', ['--data', dataOf(call.settings)], call)
  await call.terminal.out(call.flags.json ? `${JSON.stringify(result)}\n` : resultText(result))
  return EXIT.done
}

/** The service hands over record and proof; what they are worth is judged here, by the keys pinned here. */
async function proveReceipt({ args, flags, settings, terminal, signal }: Invocation): Promise<ExitCode> {
  const digest = parseDigest(args)
  const record = await connect(settings).call('receipts.get', { params: { digest } }, { signal })
  const trust = trustFrom(readRing(settings.configFolder), [], [])
  const report = await verifyReceipt(record, { ...trust, expectedDigest: digest, checkedAt: new Date().toISOString() })
  await terminal.out(flags.json ? `${JSON.stringify(report)}\n` : reportText(digest, report, terminal))
  if (trust.logKeys?.length === 0) terminal.say('no log key is pinned: save /log/key and pin it with orch keys pin')
  if (report.verdict === 'FAIL') return EXIT.failed
  const needed = ['structure', 'payload_digest', 'inclusion']
  const proven = report.checks
    .filter(({ check }) => needed.includes(check))
    .every(({ status }) => status === 'VERIFIED')
  return proven ? EXIT.done : EXIT.insufficient
}

async function proveGrowth({ flags, settings, terminal, signal }: Invocation, file: string): Promise<ExitCode> {
  const { logKeys } = readRing(settings.configFolder)
  const report = await proveContinuation(connect(settings), file, logKeys, signal)
  await terminal.out(flags.json ? `${JSON.stringify(report)}\n` : `${report.status}: ${report.reason}\n`)
  if (report.status === 'MISMATCH') return EXIT.failed
  return report.status === 'VERIFIED' ? EXIT.done : EXIT.insufficient
}
