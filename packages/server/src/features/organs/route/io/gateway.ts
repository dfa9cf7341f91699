/** The targets that the organ may call: those of the operator, the embedded model and an echo in this process. */
import { type Breaker, breakerOf } from '../../../../adapters/models/breaker.ts'
import type { TargetState, Upstreams } from '../../../../adapters/models/contract.ts'
import type { Clock } from '../../../../ports.ts'
import type { CallOutcome } from '../calling.ts'
import type { Gateway } from '../organ.ts'
import type { Candidate } from '../rank.ts'
import { readReply } from '../reply.ts'

const FAILURES = 3
const REST_MS = 1_000
const MAX_TOKENS = 256

/** Repeats what it is told and is no model. */
const ECHO: Candidate = {
  ...{ id: 'echo', quality: 0, cost: 0, latency: 0 },
  context: 1_000_000,
  json: false,
}

/** Of these the target is not to blame, or nothing was sent. */
const UNSENT = new Set(['KEY_MISSING', 'MODEL_ABSENT', 'TRANSPORT_DISABLED', 'BREAKER_OPEN', 'ABORTED'])

export function openGateway(upstreams: Upstreams, clock: Clock): Gateway {
  const breakers = new Map<string, Breaker>()
  const fresh = () => breakerOf(clock, { failures: FAILURES, restMs: REST_MS })
  return {
    configured: () => {
      const known = upstreams.targets().map(toCandidate)
      return known.some(({ absent }) => absent === null) ? known : [...known, ECHO]
    },
    echo: ECHO,
    breaker(id) {
      const own = breakers.get(id) ?? fresh()
      breakers.set(id, own)
      // The target may be left alone for all callers of the service as well.
      const isOpen = () => upstreams.targets().find((target) => target.id === id)?.breaker === 'open'
      return { state: () => (isOpen() ? 'open' : own.state()), pass: (work) => (isOpen() ? null : own.pass(work)) }
    },
    drillBreaker: fresh,
    call: (id, text, deadlineMs, signal) =>
      id === ECHO.id ? echoed(text, clock) : completed(upstreams, id, text, deadlineMs, signal),
  }
}

const toCandidate = ({ id, contextTokens, absent, declared }: TargetState): Candidate => ({
  ...{ id, context: contextTokens, absent },
  ...declared?.scores,
  ...(declared?.latencyMs === undefined ? {} : { latency_ms: declared.latencyMs }),
  ...(declared?.json === undefined ? {} : { json: declared.json }),
})

async function echoed(text: string, clock: Clock): Promise<CallOutcome> {
  const begun = clock.monotonic()
  return { ok: true, text, latencyMs: clock.monotonic() - begun }
}

async function completed(
  upstreams: Upstreams,
  id: string,
  text: string,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const model = upstreams.targets().find((target) => target.id === id)?.model ?? id
  const body = { model, messages: [{ role: 'user', content: text }], max_tokens: MAX_TOKENS, stream: false }
  const answer = await upstreams.complete(id, { body, deadlineMs }, signal)
  if (!answer.ok) {
    const { code, status } = answer
    const refused = status !== null && status < 500 && status !== 429 && status !== 408
    return { ok: false, code, blamed: !UNSENT.has(code) && !refused }
  }
  const reply = readReply(answer.value)
  if (reply === null) return { ok: false, code: 'INVALID_REPLY', blamed: true }
  return { ok: true, text: reply, latencyMs: answer.latencyMs }
}
