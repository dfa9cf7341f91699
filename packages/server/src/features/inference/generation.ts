/** Getting an answer: one target, and one other where the first failed before its first byte. */

import type { ChatFailure, ChatStream, TargetState, Upstreams } from '../../adapters/models/contract.ts'
import type { Reason, Verdict } from '../../domain/decision/verdict.ts'
import type { Finding } from '../../domain/gates/finding.ts'
import { codePoints } from '../../domain/text/code-points.ts'
import type { Clock } from '../../ports.ts'
import type { Inquiry } from './inquiry.ts'
import { type Completion, CompletionChunks, readCompletion } from './rules/completion.ts'
import { Contacts, ReleaseWindow } from './rules/release-window.ts'

type Shortfall = 'NO_TARGET' | 'TARGET_DOWN' | 'TARGET_TIMEOUT' | 'CLIENT_LEFT'

interface FailedTarget {
  target: string
  code: string
  status: number | null
}

export interface Generation {
  /** The target that answered, or the last one that did not. */
  target: string | null
  /** Those that were asked before it and failed. */
  insteadOf: FailedTarget[]
  /** Asked for at that target. */
  resolved: string | null
  /** Whole, or as far as it came. */
  completion: Completion | null
  /** Why there is no answer, or not the end of it. */
  shortfall: Shortfall | null
  code: string | null
  status: number | null
  latencyMs: number | null
  ttftMs: number | null
  aborted: boolean
  /** Why a part of the stream was denied: then nothing more of it leaves, whatever the whole would have been. */
  deniedFor: readonly Reason[] | null
  /** Code points that left before the end. */
  releasedChars: number
  /** What has not left of a stream. */
  remaining: string
}

export const NOTHING: Generation = {
  target: null,
  insteadOf: [],
  resolved: null,
  completion: null,
  shortfall: 'NO_TARGET',
  code: null,
  status: null,
  latencyMs: null,
  ttftMs: null,
  aborted: false,
  deniedFor: null,
  releasedChars: 0,
  remaining: '',
}

/** Both attempts together; a request that is not streamed is answered within a minute. */
const WHOLE_MS = 55_000

export interface Attempt {
  upstreams: Upstreams
  clock: Clock
  inquiry: Inquiry
  /** In the order they are asked, two at most. */
  targets: readonly TargetState[]
  signal: AbortSignal
}

/** Another target may do better with the same request; not with one the first refused for its content. */
const mayGoElsewhere = ({ code, status }: ChatFailure): boolean =>
  code !== 'ABORTED' && (status === null || status >= 500 || status === 429 || status === 408)

function shortfallOf(code: string): Shortfall {
  if (code === 'ABORTED') return 'CLIENT_LEFT'
  if (code === 'PROMPT_TOO_LONG') return 'NO_TARGET'
  return code === 'RESPONSE_DEADLINE' || code === 'CALL_DEADLINE' ? 'TARGET_TIMEOUT' : 'TARGET_DOWN'
}

const failed = (target: TargetState, inquiry: Inquiry, { code, status }: ChatFailure): Generation => ({
  ...NOTHING,
  target: target.id,
  resolved: resolvedAt(target, inquiry),
  shortfall: shortfallOf(code),
  code,
  status,
  aborted: code === 'ABORTED',
})

const resolvedAt = (target: TargetState, inquiry: Inquiry): string | null => {
  const { model } = inquiry.bodyFor(target)
  return typeof model === 'string' ? model : null
}

/** Asks one target after the other until one gives an answer, or fails in a way that another would not mend. */
async function askInTurn(
  { inquiry, targets }: Attempt,
  ask: (target: TargetState) => Promise<Generation | ChatFailure | null>,
): Promise<Generation> {
  let last: Generation = NOTHING
  const insteadOf: FailedTarget[] = []
  for (const target of targets) {
    const found = await ask(target)
    if (found === null) break
    if (!('ok' in found)) return { ...found, insteadOf }
    last = { ...failed(target, inquiry, found), insteadOf: [...insteadOf] }
    if (!mayGoElsewhere(found)) break
    insteadOf.push({ target: target.id, code: found.code, status: found.status })
  }
  return last
}

export function generateWhole(attempt: Attempt): Promise<Generation> {
  const { upstreams, clock, inquiry, signal } = attempt
  const begun = clock.monotonic()
  return askInTurn(attempt, async (target) => {
    const deadlineMs = WHOLE_MS - (clock.monotonic() - begun)
    if (deadlineMs <= 0) return null
    const reply = await upstreams.complete(target.id, { body: inquiry.bodyFor(target), deadlineMs }, signal)
    return reply.ok ? wholeOf(target, inquiry, reply) : reply
  })
}

function wholeOf(
  target: TargetState,
  inquiry: Inquiry,
  { value, latencyMs }: { value: unknown; latencyMs: number },
): Generation | ChatFailure {
  const completion = target.embedded ? withLogprobs(readCompletion(value), value) : readCompletion(value)
  if (completion === null) return { ok: false, code: 'INVALID_REPLY', status: null }
  const { id } = target
  return { ...NOTHING, target: id, resolved: resolvedAt(target, inquiry), completion, shortfall: null, latencyMs }
}

/** Its tokens are words of this build, and those of the answer spell what is examined. */
function withLogprobs(completion: Completion | null, value: unknown): Completion | null {
  const [first] = completion?.choices ?? []
  if (first !== undefined) first.logprobs = (value as { choices: [{ logprobs: unknown }] }).choices[0].logprobs
  return completion
}

interface Listener {
  /** The first chunk is here: from now on there is an answer to give. */
  begun(target: TargetState): void
  /** Examined and free to leave. */
  delta(text: string): void
}

/** What the pipeline says of a part of the output as it stands. */
export type JudgePart = (
  text: string,
) => Promise<{ decision: Verdict; reasons: readonly Reason[]; findings: readonly Finding[] }>

export function generateStream(attempt: Attempt, judge: JudgePart, listener: Listener): Promise<Generation> {
  const { upstreams, clock, inquiry, signal } = attempt
  const begun = clock.monotonic()
  return askInTurn(attempt, async (target) => {
    const call = { body: inquiry.bodyFor(target), deadlineMs: target.timeoutMs }
    const opened = await upstreams.stream(target.id, call, signal)
    if (!opened.ok) return opened
    const ttftMs = elapsed(clock, begun)
    listener.begun(target)
    const read = await follow(opened, judge, listener, signal)
    const facts = { target: target.id, resolved: resolvedAt(target, inquiry), ttftMs, latencyMs: elapsed(clock, begun) }
    return { ...NOTHING, ...facts, ...read }
  })
}

const elapsed = (clock: Clock, begun: number): number => Math.round((clock.monotonic() - begun) * 1000) / 1000

type Followed = Pick<
  Generation,
  'completion' | 'shortfall' | 'code' | 'aborted' | 'deniedFor' | 'releasedChars' | 'remaining'
>

/** Reads a stream to its end, and lets out what has been examined together with what follows it. */
async function follow(
  { chunks }: ChatStream,
  judge: JudgePart,
  listener: Listener,
  signal: AbortSignal,
): Promise<Followed> {
  const gathered = new CompletionChunks()
  const outlet = openOutlet(judge, listener)
  let code: string | null = null
  try {
    for await (const chunk of chunks) {
      const delta = gathered.add(chunk)
      if (delta === null) code = 'INVALID_REPLY'
      else await outlet.take(delta)
      if (code !== null || outlet.deniedFor !== null) break
    }
  } catch (error) {
    code = brokenCode(error)
  }
  if (signal.aborted) code = 'ABORTED'
  const { deniedFor, releasedChars } = outlet
  return {
    completion: gathered.completion(),
    shortfall: code === null ? null : shortfallOf(code),
    code,
    aborted: code === 'ABORTED',
    deniedFor,
    releasedChars,
    remaining: outlet.remaining(),
  }
}

/** A stream that broke off names its code; anything else is our own fault and goes on. */
function brokenCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  if (name === 'ChatStreamBroken' && typeof code === 'string') return code
  throw error
}

/** Where what is examined and free leaves from. */
function openOutlet(judge: JudgePart, listener: Listener) {
  const window = new ReleaseWindow()
  const contacts = new Contacts()
  let paused = false
  const outlet = {
    deniedFor: null as readonly Reason[] | null,
    releasedChars: 0,
    remaining: () => window.releaseAll(),
    async take(delta: string): Promise<void> {
      window.push(delta)
      const scan = paused ? null : window.next()
      if (scan === null) return
      const text = contacts.with(scan.text)
      const { decision, reasons, findings } = await judge(text)
      if (decision === 'allow') {
        contacts.keep(text, findings)
        return send(window.release(scan.until))
      }
      // Denied: nobody needs the rest. Under review: people will want to see all of it.
      paused = true
      if (decision === 'deny') outlet.deniedFor = reasons
    },
  }
  const send = (text: string) => {
    if (text === '') return
    outlet.releasedChars += codePoints(text)
    listener.delta(text)
  }
  return outlet
}
