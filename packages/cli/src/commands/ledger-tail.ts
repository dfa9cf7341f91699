import type { ReceiptRow } from '@orch/client'
import { command, type Invocation, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { FILTER_FLAGS, filtersOf, rowText } from '../receipt-rows.ts'
import { connect } from '../service.ts'
import { countOf } from './ledger-ls.ts'

const FLAGS = {
  follow: { type: 'boolean', short: 'f', help: 'go on with every new receipt until interrupted' },
  lines: { type: 'string', short: 'n', value: 'N', help: 'begin with the last N (default 10, at most 200)' },
  jsonl: { type: 'boolean', help: 'one JSON object per receipt' },
  ...FILTER_FLAGS,
  ...SERVICE_FLAGS,
} as const

export default command({
  name: 'ledger tail',
  summary: 'Show the newest receipts in order, and follow the ledger as it grows',
  usage: '[-f] [-n N] [filters]',
  flags: FLAGS,
  example: 'orch ledger tail -n 3',
  async run(call) {
    const { flags, settings, terminal, signal } = call
    if (flags.follow && flags.json) throw usage('a stream is not one object: use --jsonl')
    const client = connect(settings)
    const limit = countOf(flags.lines ?? '10')
    // Read before the page: what is appended in between is in the page, and shown once.
    const { size } = await client.call('lake.log', {}, { signal })
    const page = await client.call('khipu.ledger', { query: { ...filtersOf(flags), limit } }, { signal })
    const rows = [...page.receipts].reverse()
    if (flags.json) await terminal.out(`${JSON.stringify({ receipts: rows, ledger_size: page.ledger_size })}\n`)
    else for (const row of rows) await show(row, call)
    if (flags.follow) await follow(client, Math.max(size - 1, rows.at(-1)?.node_index ?? -1), call)
    return EXIT.done
  },
})

type Call = Invocation<typeof FLAGS>

const show = (row: ReceiptRow, { flags, terminal }: Call): Promise<void> =>
  terminal.out(flags.jsonl ? `${JSON.stringify(row)}\n` : rowText(row, terminal))

async function follow(client: ReturnType<typeof connect>, after: number, call: Call): Promise<void> {
  const { terminal, signal, flags } = call
  const onConnection = (state: 'open' | 'lost') => {
    if (state === 'lost') terminal.say('connection lost, trying again')
  }
  for await (const event of client.events({ after, filters: filtersOf(flags), signal, onConnection })) {
    if (event.event === 'reset')
      terminal.say('the ledger is shorter than what was shown: it was rolled back or replaced')
    else await show(event.data as ReceiptRow, call)
  }
  signal.throwIfAborted()
}
