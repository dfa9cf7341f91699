import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalBytes, sha256Hex } from '@orch/core'
import { createClient, GovernanceUnavailable, GovernedDenial, govern, OrchError, ReviewRequired } from './index.ts'

const RECEIPT = { receipt_id: 'r', digest: 'd'.repeat(64) }
const TICKET = { review_id: 'rev_1', expires_at: '2026-01-02T03:04:05.000Z', url: '/reviews/rev_1' }
const decided = (decision: unknown, more: object = {}) => ({
  decision,
  reasons: ['SOME_REASON'],
  receipt: RECEIPT,
  review: decision === 'review' ? TICKET : null,
  ...more,
})
const settled = (state: string) => ({ review_id: TICKET.review_id, state })

type Sent = { path: string; key: string | null; body: { review_id?: string; text: string; context: object } }
type Step = object | Error | 'never'

/** A service that gives these answers in order and repeats the last one. */
function service(...steps: Step[]) {
  const sent: Sent[] = []
  const answer = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const step = steps[Math.min(sent.length, steps.length - 1)]!
    const path = new URL(String(url)).pathname
    const body = JSON.parse(String(init.body ?? '{}'))
    sent.push({ path, key: new Headers(init.headers).get('idempotency-key'), body })
    if (step instanceof Error) return Promise.reject(step)
    const about = { input_source: 'CALLER', input_sha256: sha256Hex(String(body.text)) }
    if (step !== 'never') return Promise.resolve(Response.json({ ...about, ...step }))
    return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  }
  const client = createClient({
    baseUrl: 'http://127.0.0.1:9',
    fetch: answer as typeof fetch,
    retries: 2,
    wait: async () => undefined,
  })
  return { sent, client }
}

/** Counts its runs; `run(a, b)` is a + b. */
function counted() {
  const seen: [number, number][] = []
  return { seen, run: (a: number, b: number) => seen.push([a, b]) && a + b }
}

const failure = async (promise: Promise<unknown>): Promise<Error> => {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('it ran')
}

test('an allow about the example, or about another text, runs nothing', async () => {
  for (const other of [
    { input_source: 'DEFAULT_EXAMPLE' },
    { input_sha256: sha256Hex('another') },
    { input_sha256: null },
  ]) {
    const { client } = service(decided('allow', other))
    const { seen, run } = counted()
    assert.ok((await failure(govern(run, { client, action: 'add' })(2, 3))) instanceof GovernanceUnavailable)
    assert.deepEqual(seen, [])
  }
})

test('5c an allowed call runs once with its arguments and gives the result', async () => {
  const { sent, client } = service(decided('allow'))
  const { seen, run } = counted()
  assert.equal(await govern(run, { client, action: 'add' })(2, 3), 5)
  assert.deepEqual([seen, sent.length], [[[2, 3]], 1])
})

test('5c a denied call does not run and the error carries the receipt', async () => {
  const { client } = service(decided('deny'))
  const { seen, run } = counted()
  const error = (await failure(govern(run, { client, action: 'add' })(2, 3))) as GovernedDenial
  assert.ok(error instanceof GovernedDenial)
  assert.deepEqual([error.receipt, error.reasons, seen], [RECEIPT, ['SOME_REASON'], []])
})

test('5c a call that a person has to decide on does not run, and the error names the review', async () => {
  const { client } = service(decided('review'))
  const { seen, run } = counted()
  const error = (await failure(govern(run, { client, action: 'add' })(2, 3))) as ReviewRequired
  assert.ok(error instanceof ReviewRequired)
  assert.deepEqual([error.review, error.receipt, seen], [TICKET, RECEIPT, []])
})

test('5c with the service down nothing runs', async () => {
  const { sent, client } = service(new TypeError('fetch failed'))
  const { seen, run } = counted()
  const error = await failure(govern(run, { client, action: 'add' })(2, 3))
  assert.ok(error instanceof GovernanceUnavailable)
  assert.deepEqual([seen, sent.length], [[], 3])
})

test('5c a service that is too slow is none, and its late answer runs nothing', async () => {
  const { client } = service('never')
  const { seen, run } = counted()
  const error = await failure(govern(run, { client, action: 'add', timeoutMs: 30 })(2, 3))
  assert.ok(error instanceof GovernanceUnavailable)
  const late = { call: () => new Promise((resolve) => setTimeout(resolve, 60, decided('allow'))) }
  const second = await failure(govern(run, { client: late as never, action: 'add', timeoutMs: 20 })(2, 3))
  assert.ok(second instanceof GovernanceUnavailable)
  assert.deepEqual(seen, [])
})

test('5c a reply that was lost and asked for again runs the function exactly once, under one key', async () => {
  const { sent, client } = service(new TypeError('socket hang up'), decided('allow'))
  const { seen, run } = counted()
  await govern(run, { client, action: 'add' })(2, 3)
  assert.deepEqual([seen.length, sent.length], [1, 2])
  assert.equal(sent[0]?.key, sent[1]?.key)
  assert.match(sent[0]?.key ?? '', /^[0-9a-f]{32}$/)
})

test('whatever is not exactly an allow with a receipt runs nothing', async () => {
  for (const reply of [
    {},
    decided('ALLOW'),
    decided(true),
    decided('allow', { receipt: null }),
    decided('allow', { reasons: 'x' }),
    decided('review', { review: null }),
    { decision: 'allow' },
  ]) {
    const { client } = service(reply)
    const { seen, run } = counted()
    assert.ok((await failure(govern(run, { client, action: 'add' })(1, 1))) instanceof GovernanceUnavailable)
    assert.deepEqual(seen, [])
  }
})

test('a refused credential is no decision and stays visible as the cause', async () => {
  const { seen, run } = counted()
  const refuse = async () => {
    throw new OrchError(403, 'missing_scopes', 'needs decisions:write', 'req-1')
  }
  const error = await failure(govern(run, { client: { call: refuse } as never, action: 'add' })(1, 1))
  assert.ok(error instanceof GovernanceUnavailable)
  assert.deepEqual([(error.cause as OrchError).code, seen], ['missing_scopes', []])
})

test('only the digest of the arguments leaves the process, unless describe says more', async () => {
  const { sent, client } = service(decided('allow'))
  const send = (to: string, note: { body: string }) => `${to}${note.body}`
  const digest = sha256Hex(canonicalBytes(['ann@example.org', { body: 'the secret' }]))
  await govern(send, { client, action: { name: 'send mail', effect: 'external', tool: 'mail' } })('ann@example.org', {
    body: 'the secret',
  })
  assert.deepEqual(sent[0]?.body, {
    effect: 'external',
    tool: 'mail',
    text: 'send mail',
    context: { action: 'send mail', arguments_sha256: digest },
  })
  const describe = (to: string) => `write to ${to}`
  await govern(send, { client, action: 'send mail', describe })('ann@example.org', { body: 'the secret' })
  assert.equal(sent[1]?.body.text, 'write to ann@example.org')
  assert.equal(JSON.stringify(sent[1]).includes('the secret'), false)
})

test('arguments without a digest are refused before anything is asked, unless describe says what they are', async () => {
  const { sent, client } = service(decided('allow'))
  const at = (when: Date) => when.getTime()
  assert.ok((await failure(govern(at, { client, action: 'at' })(new Date(0)))) instanceof TypeError)
  assert.equal(sent.length, 0)
  assert.equal(await govern(at, { client, action: 'at', describe: (when) => when.toISOString() })(new Date(5)), 5)
  assert.deepEqual(sent[0]?.body.context, { action: 'at' })
})

test('arguments that change while the decision is made do not run', async () => {
  const order = { amount: 1 }
  const client = {
    call: async () => {
      order.amount = 1_000_000
      return decided('allow', { input_source: 'CALLER', input_sha256: sha256Hex('pay') })
    },
  }
  let runs = 0
  const pay = (_: { amount: number }) => {
    runs += 1
  }
  assert.match((await failure(govern(pay, { client: client as never, action: 'pay' })(order))).message, /changed/)
  assert.equal(runs, 0)
})

const waiting = { action: 'add', onReview: 'wait', timeoutMs: 2_000 } as const

test('waiting runs the function once people have approved, with the same request and the review', async () => {
  const { sent, client } = service(decided('review'), settled('pending'), settled('approved'), decided('allow'))
  const { seen, run } = counted()
  assert.equal(await govern(run, { client, ...waiting })(2, 3), 5)
  assert.equal(seen.length, 1)
  assert.equal(sent[1]?.path, '/api/orch/v1/reviews/rev_1')
  assert.deepEqual(sent[3]?.body, { ...sent[0]?.body, review_id: 'rev_1' })
})

test('waiting ends in a denial when a person denies or nobody answers', async () => {
  for (const state of ['denied', 'expired']) {
    const { client } = service(decided('review'), settled(state))
    const { seen, run } = counted()
    const error = (await failure(govern(run, { client, ...waiting })(2, 3))) as GovernedDenial
    assert.ok(error instanceof GovernedDenial)
    assert.deepEqual([error.review?.state, error.receipt, seen], [state, RECEIPT, []])
  }
})

test('an approval that was used up or no longer fits asks for a person again and runs nothing', async () => {
  for (const steps of [[settled('consumed')], [settled('approved'), decided('review')]]) {
    const { client } = service(decided('review'), ...steps)
    const { seen, run } = counted()
    assert.ok((await failure(govern(run, { client, ...waiting })(2, 3))) instanceof ReviewRequired)
    assert.deepEqual(seen, [])
  }
})

test('waiting ends with the review still open when time is up, and without one when the service goes away', async () => {
  const { seen, run } = counted()
  const open = service(decided('review'), settled('pending'))
  const late = await failure(govern(run, { client: open.client, ...waiting, timeoutMs: 60 })(2, 3))
  assert.ok(late instanceof ReviewRequired)
  const gone = service(decided('review'), new TypeError('fetch failed'))
  assert.ok((await failure(govern(run, { client: gone.client, ...waiting })(2, 3))) instanceof GovernanceUnavailable)
  assert.deepEqual(seen, [])
})

test('a function is told of the review and chooses', async () => {
  const reported: string[] = []
  const { client } = service(decided('review'), settled('approved'), decided('allow'))
  const { run } = counted()
  const onReview = (review: { review_id: string }) => {
    reported.push(review.review_id)
    return 'wait' as const
  }
  assert.equal(await govern(run, { client, ...waiting, onReview })(1, 1), 2)
  assert.deepEqual(reported, ['rev_1'])
})

test('the object a method belongs to stays its own, and what it throws comes through', async () => {
  const { client } = service(decided('allow'))
  const account = {
    balance: 10,
    take: govern(
      function (this: { balance: number }, amount: number) {
        if (amount > this.balance) throw new RangeError('too much')
        this.balance -= amount
        return this.balance
      },
      { client, action: 'take' },
    ),
  }
  assert.equal(await account.take(4), 6)
  await assert.rejects(account.take(40), RangeError)
})
