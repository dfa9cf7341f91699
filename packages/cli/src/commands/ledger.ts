// The ledger of a running service: its receipts as lists and files, and proofs about it.

import type { ReceiptRow } from '@orch/client'
import { verifyReceipt } from '@orch/core'
import { command, type Invocation, SERVICE_FLAGS, showList, showPage } from '../command.ts'
import { proveContinuation } from '../continuation.ts'
import { EXIT, type ExitCode, usage } from '../exit.ts'
import { exportLines } from '../export-lines.ts'
import { parseCount } from '../forgiving.ts'
import { readRing, trustFrom } from '../key-ring.ts'
import { writeOutputFile } from '../output-file.ts'
import { createProgress } from '../progress.ts'
import { FILTER_FLAGS, filtersOf, noReceipts, RECEIPT_COLUMNS } from '../receipt-list.ts'
import { RECEIPT_NAME, resolveReceipt } from '../receipt-name.ts'
import { reportText } from '../report-text.ts'
import { DATA_FLAG, dataOf, resultText, runServerTool } from '../server-process.ts'
import { connect } from '../service.ts'
import { tableHeader, tableRow } from '../table.ts'

const TAIL_FLAGS = {
  follow: { type: 'boolean', short: 'f', help: 'go on with every new receipt until interrupted' },
  lines: { type: 'string', short: 'n', value: 'N', help: 'begin with the last N (default 10, at most 200)' },
  limit: { type: 'string', value: 'N', help: 'the same as --lines, as ledger ls calls it' },
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
    if (flags.follow && flags.json) throw usage('--json: a stream is not one object; use orch ledger tail -f --jsonl')
    const client = connect(settings)
    if (flags.limit !== undefined && flags.lines !== undefined)
      throw usage('--limit: it is the same as --lines; use one of them')
    const [name, count = '10'] = flags.limit === undefined ? ['--lines', flags.lines] : ['--limit', flags.limit]
    const limit = parseCount(name, count, 1, 200)
    const query = filtersOf(flags)
    // Read before the page: what is appended in between is in the page, and shown once.
    const { size } = await client.call('lake.log', {}, { signal })
    const page = await client.call('khipu.ledger', { query: { ...query, limit } }, { signal })
    const rows = [...page.receipts].reverse()
    const text = { columns: RECEIPT_COLUMNS, empty: noReceipts(query, page.ledger_size) }
    await showList({ receipts: rows, ledger_size: page.ledger_size }, rows, flags, terminal, text)
    if (flags.follow) await follow(client, Math.max(size - 1, rows.at(-1)?.node_index ?? -1), rows.length > 0, call)
    return EXIT.done
  },
})

type TailCall = Invocation<typeof TAIL_FLAGS>

async function follow(
  client: ReturnType<typeof connect>,
  after: number,
  hasHeader: boolean,
  call: TailCall,
): Promise<void> {
  const { terminal, signal, flags } = call
  const onConnection = (state: 'open' | 'lost') => {
    if (state === 'lost') terminal.say('connection lost, trying again')
  }
  if (!flags.jsonl && !hasHeader) await terminal.out(tableHeader(RECEIPT_COLUMNS, terminal))
  for await (const event of client.events({ after, filters: filtersOf(flags), signal, onConnection })) {
    if (event.event === 'reset')
      terminal.say('the ledger is shorter than what was shown: it was rolled back or replaced')
    else if (flags.jsonl) await terminal.out(`${JSON.stringify(event.data)}\n`)
    else await terminal.out(tableRow(RECEIPT_COLUMNS, event.data as ReceiptRow, terminal))
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
    const limit = flags.limit === undefined ? undefined : parseCount('--limit', flags.limit, 1, 200)
    const filters = filtersOf(flags)
    const query = { ...filters, limit, cursor: flags.cursor }
    const page = await connect(settings).call('khipu.ledger', { query }, { signal })
    const empty = noReceipts(filters, page.ledger_size)
    return showPage(page, page.receipts, flags, terminal, { columns: RECEIPT_COLUMNS, empty })
  },
})

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
  usage: `${RECEIPT_NAME} | --since CHECKPOINT | --data FOLDER`,
  maxArguments: 1,
  flags: {
    ...DATA_FLAG,
    since: { type: 'string', value: 'FILE', help: 'a checkpoint kept from before: the log must be its continuation' },
    ...SERVICE_FLAGS,
  },
  example: 'orch ledger prove --data data',
  run(call) {
    const { since, data } = call.flags
    if (call.args.length > 0 && (since ?? data) !== undefined)
      throw usage(`${call.args[0]}: give a receipt, --since or --data, and one of them alone: orch ledger prove latest`)
    if (since !== undefined) return proveGrowth(call, since)
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
  const client = connect(settings)
  const digest = await resolveReceipt(client, args, signal)
  const record = await client.call('receipts.get', { params: { digest } }, { signal })
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
