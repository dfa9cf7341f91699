import type { Input } from '@orch/client'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { reviewText } from '../review-rows.ts'
import { connect } from '../service.ts'
import { countOf } from './ledger-ls.ts'

type Query = NonNullable<Input<'reviews.list'>['query']>

export default command({
  name: 'review ls',
  summary: 'List decisions that wait for a person, newest first',
  usage: '[--state STATE] [--operation ID] [--limit N] [--cursor CURSOR]',
  flags: {
    state: { type: 'string', value: 'STATE', help: 'pending (default), approved, denied, expired, consumed or all' },
    operation: { type: 'string', value: 'ID', help: 'asked for by this operation' },
    limit: { type: 'string', value: 'N', help: 'at most this many (default 20, at most 100)' },
    cursor: { type: 'string', value: 'CURSOR', help: 'go on where the page before ended' },
    jsonl: { type: 'boolean', help: 'one JSON object per review' },
    ...SERVICE_FLAGS,
  },
  example: 'orch review ls --state all --limit 5',
  async run({ flags, settings, terminal, signal }) {
    const { state, operation, limit, cursor } = flags
    // The service checks the words: a mistyped one is refused there, never ignored.
    const query: Query = {
      ...(state !== undefined && { state: state as NonNullable<Query['state']> }),
      ...(operation !== undefined && { operation }),
      ...(limit !== undefined && { limit: countOf(limit) }),
      ...(cursor !== undefined && { cursor }),
    }
    const page = await connect(settings).call('reviews.list', { query }, { signal })
    if (flags.json) await terminal.out(`${JSON.stringify(page)}\n`)
    else
      for (const item of page.items)
        await terminal.out(flags.jsonl ? `${JSON.stringify(item)}\n` : reviewText(item, terminal))
    if (!flags.json && page.next_cursor !== null) terminal.say(`more: --cursor ${page.next_cursor}`)
    return EXIT.done
  },
})
