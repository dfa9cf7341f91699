import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { FILTER_FLAGS, filtersOf, rowText } from '../receipt-rows.ts'
import { connect } from '../service.ts'

export default command({
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
    const limit = flags.limit === undefined ? undefined : countOf(flags.limit)
    const query = {
      ...filtersOf(flags),
      ...(limit !== undefined && { limit }),
      ...(flags.cursor !== undefined && { cursor: flags.cursor }),
    }
    const page = await connect(settings).call('khipu.ledger', { query }, { signal })
    if (flags.json) await terminal.out(`${JSON.stringify(page)}\n`)
    else
      for (const row of page.receipts)
        await terminal.out(flags.jsonl ? `${JSON.stringify(row)}\n` : rowText(row, terminal))
    if (!flags.json && page.next_cursor !== null) terminal.say(`more: --cursor ${page.next_cursor}`)
    return EXIT.done
  },
})

export function countOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw usage(`${text} is not a number from 1 up`)
  return Number(text)
}
