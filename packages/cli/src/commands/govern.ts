import { type Client, type Decision, type Review, settledReview } from '@orch/client'
import { sha256Hex } from '@orch/core'
import { command, type Invocation, SERVICE_FLAGS } from '../command.ts'
import { decisionText, exitOfDecision, settledText } from '../decision-text.ts'
import { CliError, EXIT, type ExitCode, usage } from '../exit.ts'
import { REQUEST_FLAGS, requestOf } from '../governed-request.ts'
import { writeOutputFile } from '../output-file.ts'
import { connect } from '../service.ts'

const FLAGS = {
  ...REQUEST_FLAGS,
  wait: { type: 'boolean', help: 'wait for the person who decides a review, then ask again' },
  receipt: { type: 'string', value: 'FILE', help: 'save the answer with its evidence, for orch verify' },
  timeout: { type: 'string', value: 'SECONDS', help: 'wait no longer than this; without it, until the review expires' },
  ...SERVICE_FLAGS,
} as const
const POLL_MS = 500

type Outcome = { answer: Decision; settled: Review | null; exit: ExitCode }

export default command({
  name: 'govern',
  summary: 'Ask before acting: 0 for allow, 6 for deny, 7 for review',
  usage: 'TEXT|- [--tool NAME] [--session ID] [--wait]',
  flags: FLAGS,
  example: 'orch govern "What is the capital of France?"',
  async run(call) {
    const body = requestOf(call.args, call.flags)
    const client = connect(call.settings)
    const limit = limitOf(call)
    const answer = await ask(client, body, call, call.signal)
    const first = { answer, settled: null, exit: exitOfDecision(answer) }
    const outcome = call.flags.wait === true && answer.review ? await waited(client, first, body, call, limit) : first
    await save(outcome, call)
    await show(outcome, call)
    return outcome.exit
  },
})

type Call = Invocation<typeof FLAGS>

/** An answer about anything but this text, such as the documented example, decides nothing here. */
async function ask(
  client: Client,
  body: ReturnType<typeof requestOf>,
  { flags }: Pick<Call, 'flags'>,
  signal: AbortSignal,
): Promise<Decision> {
  const query = flags.receipt === undefined ? {} : { envelope: true }
  const answer = await client.call('governance.govern', { body, query }, { signal })
  if (answer.input_source === 'CALLER' && answer.input_sha256 === sha256Hex(body.text ?? '')) return answer
  throw new CliError(EXIT.error, 'the answer is not about this request; something on the way lost or changed its body')
}

/** Byte for byte what the service answered: the receipt covers all of it. */
async function save({ answer }: Outcome, { flags }: Call): Promise<void> {
  if (flags.receipt === undefined) return
  await writeOutputFile(flags.receipt, async (file) => file.write(`${JSON.stringify(answer)}\n`))
}

function limitOf({ flags, signal }: Call): AbortSignal {
  if (flags.timeout === undefined) return signal
  if (flags.wait !== true) throw usage('--timeout is for --wait')
  if (!/^[1-9]\d{0,5}$/.test(flags.timeout)) throw usage(`${flags.timeout} is not a number of seconds`)
  return AbortSignal.any([signal, AbortSignal.timeout(Number(flags.timeout) * 1000)])
}

/** Approved: the same request again, with the review that lifts it. Denied or expired: that is the answer. */
async function waited(
  client: Client,
  first: Outcome,
  body: ReturnType<typeof requestOf>,
  call: Call,
  limit: AbortSignal,
): Promise<Outcome> {
  const { terminal, signal } = call
  const { review_id } = first.answer.review!
  terminal.say(`waiting for a person: orch review approve ${review_id} --reason "..."`)
  const settled = await orTimedOut(settledReview(client, review_id, { pollMs: POLL_MS, signal: limit }), signal, limit)
  if (settled === null) return first
  if (settled.state === 'denied' || settled.state === 'expired') return { ...first, settled, exit: EXIT.denied }
  if (settled.state !== 'approved') return { ...first, settled }
  const answer = await ask(client, { ...body, review_id }, call, signal)
  return { answer, settled, exit: exitOfDecision(answer) }
}

/** Null where the time was up: the review is still open, which is no error. */
async function orTimedOut(review: Promise<Review>, signal: AbortSignal, limit: AbortSignal): Promise<Review | null> {
  try {
    return await review
  } catch (error) {
    if (limit.aborted && !signal.aborted) return null
    throw error
  }
}

async function show({ answer, settled, exit }: Outcome, { flags, terminal }: Call): Promise<void> {
  if (flags.json) await terminal.out(`${JSON.stringify(settled ? { ...answer, settled } : answer)}\n`)
  else await terminal.out(`${decisionText(answer, terminal)}${settled ? settledText(settled) : ''}`)
  if (exit === EXIT.review && answer.review && flags.wait !== true)
    terminal.say(`a person decides: orch review approve ${answer.review.review_id} --reason "..."`)
}
