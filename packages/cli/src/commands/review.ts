// Decisions that wait for a person: list them, read one, decide it.

import type { Input, ReviewItem } from '@orch/client'
import { command, type Invocation, SERVICE_FLAGS, showPage } from '../command.ts'
import { EXIT, type ExitCode, parseCount, usage } from '../exit.ts'
import { connect } from '../service.ts'
import { printable, type Terminal } from '../terminal.ts'

const VERDICT_FLAGS = {
  reason: { type: 'string', value: 'TEXT', help: 'why; 3 to 2000 characters, kept as a digest' },
  reviewer: { type: 'string', value: 'NAME', help: 'who decides, where the service knows no credentials' },
  ...SERVICE_FLAGS,
} as const

type Query = NonNullable<Input<'reviews.list'>['query']>

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
    // The service checks the words: a mistyped one is refused there, never ignored.
    const count = limit === undefined ? undefined : parseCount(limit)
    const query = { state: state as Query['state'], operation, limit: count, cursor }
    const page = await connect(settings).call('reviews.list', { query }, { signal })
    return showPage(page, page.items, flags, terminal, (item) => reviewText(item, terminal))
  },
})

export const show = command({
  name: 'review show',
  summary: 'Print one review; what was asked only for those who may decide it',
  usage: 'REVIEW_ID',
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
  flags: VERDICT_FLAGS,
  example: 'orch review approve $REVIEW --reason "the amount is agreed"',
  run: (call) => giveVerdict('approve', call),
})

export const deny = command({
  name: 'review deny',
  summary: 'Close a decision that waits: it stays denied',
  usage: 'REVIEW_ID --reason TEXT',
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
  if (reason === undefined) throw usage('say why with --reason TEXT')
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
  if (args.length !== 1 || id === '') throw usage('name one review; orch review ls lists them')
  return id
}

function reviewText(item: ReviewItem, { paint }: Pick<Terminal, 'paint'>): string {
  const { review_id, state, created_at, expires_at, operation, reasons, lambda, votes, required_approvals } = item
  const shown = state === 'pending' ? paint('yellow', state) : state === 'denied' ? paint('red', state) : state
  const fields = [review_id, created_at, `until ${expires_at}`, operation, reasons.join(',')].map(printable)
  const counts = [`lambda ${lambda ?? 'UNAVAILABLE'}`, `${votes.length}/${required_approvals} votes`]
  return `${[shown, ...fields, ...counts].join('  ')}\n`
}
