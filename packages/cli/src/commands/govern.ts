import { type Client, type Decision, type GovernRequest, type Review, settledReview } from '@orch/client'
import { sha256Hex, utf8Decode } from '@orch/core'
import { command, type Invocation, SERVICE_FLAGS } from '../command.ts'
import { CliError, EXIT, type ExitCode, usage } from '../exit.ts'
import { parseCount, parseWord } from '../forgiving.ts'
import { readInput, readJson, STDIN } from '../json-input.ts'
import { writeOutputFile } from '../output-file.ts'
import { connect } from '../service.ts'
import { type Colour, printable, type Terminal } from '../terminal.ts'

// What the words and flags of `govern` ask.
const flag = (value: string, help: string) => ({ type: 'string', value, help }) as const

const REQUEST_FLAGS = {
  agent: flag('NAME', 'the agent that asks, as it shall stand in the receipt'),
  tool: flag('NAME', 'the tool that is about to be used'),
  session: flag('ID', 'the session whose risk budget is charged'),
  effect: flag('WORD', 'none, read, write, external or destructive'),
  declared: flag('CLASS', 'PUBLIC, INTERNAL, RESTRICTED or SECRET'),
  context: flag('FILE', 'JSON object that is scanned and bound to the decision'),
  review: flag('ID', 'a review that was approved for exactly this request'),
} as const

const EFFECTS = ['none', 'read', 'write', 'external', 'destructive']
const CLASSES = ['PUBLIC', 'INTERNAL', 'RESTRICTED', 'SECRET']

type RequestFlags = { [Name in keyof typeof REQUEST_FLAGS]?: string }

function requestOf(args: readonly string[], flags: RequestFlags): GovernRequest {
  const { agent, tool, session, effect, declared, context, review } = flags
  const [given] = args
  if (given === undefined)
    throw usage('give TEXT as one argument in quotes, or - for stdin: orch govern "What is the capital of France?"')
  if (given === STDIN && context === STDIN)
    throw usage('TEXT and --context cannot both be -, which is stdin: name a file, for example --context context.json')
  return {
    text: textOf(given),
    agent,
    tool,
    session_id: session,
    review_id: review,
    effect: effect === undefined ? undefined : (parseWord('--effect', effect, EFFECTS) as GovernRequest['effect']),
    declared:
      declared === undefined ? undefined : (parseWord('--declared', declared, CLASSES) as GovernRequest['declared']),
    context: context === undefined ? undefined : contextOf(context),
  }
}

/** The newline at the end is the shell's, not the text's. */
function textOf(argument: string): string {
  if (argument !== STDIN) return argument
  const text = utf8Decode(readInput(STDIN))
  if (text === null) throw usage('TEXT on stdin is not valid UTF-8: convert it, for example with iconv -t utf-8')
  return text.replace(/\r?\n$/, '')
}

function contextOf(file: string): Record<string, unknown> {
  const value = readJson(file, `--context ${file}`)
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw usage(`--context ${file}: not a JSON object such as {"customer":"c-17"}`)
  return value as Record<string, unknown>
}

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
  maxArguments: 1,
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
  if (flags.wait !== true) throw usage('--timeout is for --wait: orch govern TEXT --wait --timeout 60')
  const seconds = parseCount('--timeout', flags.timeout, 1, 999_999)
  return AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
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

// A decision for people, every number beside the word that says what it is worth.
const COLOURS: Record<Decision['decision'], Colour> = { allow: 'green', review: 'yellow', deny: 'red' }
const EXITS: Record<Decision['decision'], ExitCode> = { allow: EXIT.done, review: EXIT.review, deny: EXIT.denied }

/** Anything may have answered in the place of the service: a word that is none of the three is no decision. */
function exitOfDecision({ decision }: Pick<Decision, 'decision'>): ExitCode {
  const exit = Object.hasOwn(EXITS, String(decision)) ? EXITS[decision] : null
  if (exit === null) throw new CliError(EXIT.error, 'the answer is not a decision')
  return exit
}

function decisionText(answer: Decision, { paint }: Pick<Terminal, 'paint'>): string {
  const { decision, reasons, explanations, gates_fired, lambda, policy, receipt, review } = answer
  const number = lambda
    ? `${lambda.value} of floor ${lambda.floor} (${lambda.label}, can hold, never lets pass, ${lambda.status})`
    : 'UNAVAILABLE'
  return [
    `${paint(COLOURS[decision], decision.toUpperCase())}  ${reasons.map(printable).join(', ')}`,
    ...explanations.map(({ code, sentence }) => `  ${printable(code)}: ${printable(sentence)}`),
    ...(policy.hint ? [`  hint         ${printable(policy.hint)}`] : []),
    `  gates fired  ${gates_fired.map(printable).join(', ') || 'none'}`,
    `  lambda       ${number}`,
    ...(receipt
      ? [`  receipt      ${receipt.digest} (${receipt.signed ? `signed, ${receipt.key_kind}` : 'unsigned'})`]
      : []),
    ...(review ? [`  review       ${printable(review.review_id)}, expires ${printable(review.expires_at)}`] : []),
    '',
  ].join('\n')
}

/** What became of a review, after the decision that asked for it. */
const settledText = ({ review_id, state, final_receipt }: Review): string =>
  `review ${printable(review_id)} ended ${state}${final_receipt ? `, receipt ${final_receipt}` : ''}\n`
