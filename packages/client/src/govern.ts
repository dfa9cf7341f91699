// A function that asks before it runs. Whatever is not exactly an allow, for exactly these arguments, does not run.
import { CanonicalError, canonicalBytes, sha256Hex } from '@orch/core'
import type { Client } from './client.ts'
import type { GovernRequest } from './generated/operations.ts'
import {
  type Asked,
  GovernanceUnavailable,
  GovernedDenial,
  type Review,
  ReviewRequired,
  type ReviewTicket,
} from './govern-errors.ts'
import { wait } from './retry.ts'

/** What the policies are told besides the text. */
type Facts = Pick<
  GovernRequest,
  'tool' | 'agent' | 'effect' | 'declared' | 'severity' | 'session_id' | 'origin' | 'direction' | 'vertical'
>

export type OnReview = 'throw' | 'wait'

export type GovernOptions<Args extends unknown[]> = {
  client: Pick<Client, 'call'>
  /** What is done, in words of the program: never made from the arguments, for it is sent as it stands. */
  action: string | ({ name: string } & Facts)
  /** The text to be judged. Without it nothing of the arguments leaves the process but their digest. */
  describe?: (...args: Args) => string
  /** `wait` holds the call until people have decided or time is up; a function is told of the review and chooses. */
  onReview?: OnReview | ((review: ReviewTicket) => OnReview | Promise<OnReview>)
  /** For everything before the run: asking, asking again, and waiting for people. */
  timeoutMs?: number
}

const DEFAULT_MS = 30_000

/** Same arguments, same result, as a promise. Throws `GovernedDenial`, `ReviewRequired` or `GovernanceUnavailable`. */
export function govern<This, Args extends unknown[], Result>(
  fn: (this: This, ...args: Args) => Result,
  options: GovernOptions<Args>,
): (this: This, ...args: Args) => Promise<Awaited<Result>> {
  return async function governed(this: This, ...args: Args): Promise<Awaited<Result>> {
    const { request, digest } = requestOf(args, options)
    await permission(request, options)
    // Whoever shares the objects can change them while a person thinks: what was approved is what runs.
    if (digest !== digestOf(args)) throw new TypeError('the arguments changed after they were decided on')
    return await fn.apply(this, args)
  }
}

type Question = { request: GovernRequest; digest: string | null }

function requestOf<Args extends unknown[]>(args: Args, { action, describe }: GovernOptions<Args>): Question {
  const { name, ...facts } = typeof action === 'string' ? { name: action } : action
  const digest = digestOf(args)
  if (digest === null && !describe)
    throw new TypeError('the arguments are not plain data and have no digest: say with describe what they are')
  const context = { action: name, ...(digest !== null && { arguments_sha256: digest }) }
  return { request: { ...facts, text: describe ? describe(...args) : name, context }, digest }
}

/** SHA-256 of the canonical JSON of the list of arguments; null where they are not plain data. */
function digestOf(args: unknown[]): string | null {
  try {
    return sha256Hex(canonicalBytes(args))
  } catch (error) {
    if (error instanceof CanonicalError) return null
    throw error
  }
}

async function permission<Args extends unknown[]>(request: GovernRequest, options: GovernOptions<Args>): Promise<void> {
  const { client, onReview = 'throw', timeoutMs = DEFAULT_MS } = options
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = await ask(client, request, signal)
  if (answer.review === null) return
  const asked = { ...answer, review: answer.review }
  const chosen = typeof onReview === 'function' ? await onReview(asked.review) : onReview
  if (chosen !== 'wait') throw new ReviewRequired(asked)
  await approval(client, asked, { pollMs: Math.min(2_000, Math.max(20, timeoutMs / 20)), signal })
  const again = await ask(client, { ...request, review_id: asked.review.review_id }, signal)
  // The approval was good for another state of the rules, or was used up: that is a new review, and no second wait.
  if (again.review !== null) throw new ReviewRequired({ ...again, review: again.review })
}

type Answer = Asked & { review: ReviewTicket | null }

/** An allow, or a review that somebody has to settle. A denial is thrown, and so is everything that is no decision. */
async function ask(client: Pick<Client, 'call'>, body: GovernRequest, signal: AbortSignal): Promise<Answer> {
  const reply = await orUnavailable(() => client.call('governance.govern', { body }, { signal }), signal)
  const { decision, reasons, receipt, review, input_source, input_sha256 } = reply
  // Anything may have answered in the place of the service: only its own words, with a receipt, let anything run.
  if (!Array.isArray(reasons) || typeof receipt?.digest !== 'string') throw new GovernanceUnavailable(null)
  // A proxy that loses the body makes the service answer about its example: that is no answer to this request.
  if (input_source !== 'CALLER' || input_sha256 !== sha256Hex(body.text ?? '')) throw new GovernanceUnavailable(null)
  const asked: Asked = { decision, reasons, receipt }
  if (decision === 'deny') throw new GovernedDenial(asked)
  if (decision === 'allow') return { ...asked, review: null }
  if (decision !== 'review' || typeof review?.review_id !== 'string') throw new GovernanceUnavailable(null)
  return { ...asked, review }
}

async function approval(
  client: Pick<Client, 'call'>,
  asked: Asked & { review: ReviewTicket },
  patience: Parameters<typeof settledReview>[2],
): Promise<void> {
  const { signal } = patience
  const review = await settledReview(client, asked.review.review_id, patience).catch((error: unknown) => {
    throw signal.aborted ? new ReviewRequired(asked) : new GovernanceUnavailable(error)
  })
  if (review.state === 'denied' || review.state === 'expired') throw new GovernedDenial(asked, review)
  if (review.state !== 'approved') throw new ReviewRequired(asked)
}

/** An answer that comes after its time is no answer: the caller has gone on. */
async function orUnavailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    const reply = await call()
    signal.throwIfAborted()
    return reply
  } catch (error) {
    throw new GovernanceUnavailable(error)
  }
}

// Waiting for people. Asking again changes nothing, so a lost answer costs one more question.
export type Patience = { pollMs: number; signal: AbortSignal }

/** The review once it is no longer pending. Ends with the reason of the signal, or the error of a call that failed. */
export async function settledReview(
  client: Pick<Client, 'call'>,
  reviewId: string,
  { pollMs, signal }: Patience,
): Promise<Review> {
  for (;;) {
    const review = await client.call('reviews.read', { params: { review_id: reviewId } }, { signal })
    if (review.state !== 'pending') return review
    await wait(pollMs, signal)
  }
}
