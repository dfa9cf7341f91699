// Decisions that wait for a person: list them, read one, decide it.

import type { Input, ReviewItem } from '@orch/client'
import { command, type Invocation, SERVICE_FLAGS, showPage } from '../command.ts'
import { EXIT, type ExitCode, usage } from '../exit.ts'
import { parseCount, parseWord } from '../forgiving.ts'
import { connect } from '../service.ts'
import { type Column, shortTime } from '../table.ts'
import { printable } from '../terminal.ts'

const VERDICT_FLAGS = {
  reason: { type: 'string', value: 'TEXT', help: 'why; 3 to 2000 characters, kept with the review' },
  reviewer: { type: 'string', value: 'NAME', help: 'who decides, where the service knows no credentials' },
  ...SERVICE_FLAGS,
} as const

type Query = NonNullable<Input<'reviews.list'>['query']>

const STATES = ['pending', 'approved', 'denied', 'expired', 'consumed', 'all']
const NO_REVIEWS = 'no reviews yet: nothing that was asked had to wait for a person'

const COLUMNS: readonly Column<ReviewItem>[] = [
  {
    title: 'STATE',
    width: 8,
    value: ({ state }) => state,
    colour: ({ state }) => (state === 'pending' ? 'yellow' : state === 'denied' ? 'red' : null),
  },
  { title: 'REVIEW', width: 36, value: ({ review_id }) => review_id },
  { title: 'AGENT', width: 15, value: ({ agent }) => agent ?? '-' },
  { title: 'TOOL', width: 15, value: ({ tool, tool_sha256 }) => tool ?? tool_sha256 ?? '-' },
]

/** What was asked, masked by the service, and why it waits. */
const notes = ({ question, reasons, expires_at }: ReviewItem): string[] => [
  question ?? 'the question is not shown: the review is closed, or a gate did not finish',
  `${reasons.join(', ')}; expires ${shortTime(expires_at).slice(0, 16)} UTC`,
]

export const ls = command({
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
    const count = limit === undefined ? undefined : parseCount('--limit', limit, 1, 100)
    const word =
      state === undefined ? undefined : parseWord('--state', state, STATES, { open: 'pending', waiting: 'pending' })
    const query = { state: word as Query['state'], operation, limit: count, cursor }
    const page = await connect(settings).call('reviews.list', { query }, { signal })
    const empty = `no review is ${word ?? 'pending'}; orch review ls --state all lists every one`
    return showPage(page, page.items, flags, terminal, {
      columns: COLUMNS,
      notes,
      empty: word === 'all' ? NO_REVIEWS : empty,
    })
  },
})

export const show = command({
  name: 'review show',
  summary: 'Print one review; what was asked only for those who may decide it',
  usage: 'REVIEW_ID',
  maxArguments: 1,
  flags: SERVICE_FLAGS,
  example: 'orch review show $REVIEW',
  async run({ args, flags, settings, terminal, signal }) {
    const review_id = reviewId(args)
    const item = await connect(settings).call('reviews.read', { params: { review_id } }, { signal })
    await terminal.out(`${JSON.stringify(item, null, flags.json ? 0 : 2)}\n`)
    return EXIT.done
  },
})

export const approve = command({
  name: 'review approve',
  summary: 'Let a decision pass that waits: the same request is then allowed once',
  usage: 'REVIEW_ID --reason TEXT',
  maxArguments: 1,
  flags: VERDICT_FLAGS,
  example: 'orch review approve $REVIEW --reason "the amount is agreed"',
  run: (call) => giveVerdict('approve', call),
})

export const deny = command({
  name: 'review deny',
  summary: 'Close a decision that waits: it stays denied',
  usage: 'REVIEW_ID --reason TEXT',
  maxArguments: 1,
  flags: VERDICT_FLAGS,
  example: 'orch review deny $REVIEW --reason "not this quarter"',
  run: (call) => giveVerdict('deny', call),
})

/** One verdict, which is a receipt of its own. */
async function giveVerdict(
  verdict: 'approve' | 'deny',
  { args, flags, settings, terminal, interrupted }: Invocation<typeof VERDICT_FLAGS>,
): Promise<ExitCode> {
  const { reason, reviewer } = flags
  const params = { review_id: reviewId(args) }
  if (reason === undefined) throw usage('--reason is missing: say why, for example --reason "the amount is agreed"')
  const body = { verdict, reason, reviewer }
  const item = await connect(settings).call('reviews.decide', { params, body }, { signal: interrupted })
  if (flags.json) await terminal.out(`${JSON.stringify(item)}\n`)
  else await terminal.out(`${item.state}  ${printable(item.review_id)}  receipt ${item.receipt.digest}\n`)
  if (item.state === 'pending') terminal.say(`${item.votes.length} of ${item.required_approvals} approvals so far`)
  if (item.approval) terminal.say(`the same request passes once until ${item.approval.valid_until}`)
  return EXIT.done
}

function reviewId(args: readonly string[]): string {
  const [id = ''] = args
  if (id === '') throw usage('name one REVIEW_ID: orch review ls lists them')
  return id
}
