// The run behind `review approve` and `review deny`: one verdict, which is a receipt of its own.
import { type Invocation, SERVICE_FLAGS } from './command.ts'
import { EXIT, type ExitCode, usage } from './exit.ts'
import { reviewId } from './review-rows.ts'
import { connect } from './service.ts'
import { printable } from './terminal.ts'

export const VERDICT_FLAGS = {
  reason: { type: 'string', value: 'TEXT', help: 'why; 3 to 2000 characters, kept as a digest' },
  reviewer: { type: 'string', value: 'NAME', help: 'who decides, where the service knows no credentials' },
  ...SERVICE_FLAGS,
} as const

export async function giveVerdict(
  verdict: 'approve' | 'deny',
  { args, flags, settings, terminal, interrupted }: Invocation<typeof VERDICT_FLAGS>,
): Promise<ExitCode> {
  const { reason, reviewer } = flags
  const params = { review_id: reviewId(args) }
  if (reason === undefined) throw usage('say why with --reason TEXT')
  const body = { verdict, reason, ...(reviewer !== undefined && { reviewer }) }
  const item = await connect(settings).call('reviews.decide', { params, body }, { signal: interrupted })
  if (flags.json) await terminal.out(`${JSON.stringify(item)}\n`)
  else await terminal.out(`${item.state}  ${printable(item.review_id)}  receipt ${item.receipt.digest}\n`)
  if (item.state === 'pending') terminal.say(`${item.votes.length} of ${item.required_approvals} approvals so far`)
  if (item.approval) terminal.say(`the same request passes once until ${item.approval.valid_until}`)
  return EXIT.done
}
