import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { momentOf } from '@orch/core/topology-words'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { NODE_IDS } from './nodes.ts'

const JSON_WANTED = { accept: 'application/json' }
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const topologyAt = async ({ url }: { url: string }) => (await send(`${url}/operator-organ/topology.json`)).json
interface Node {
  id: string
  healthy: boolean | null
  reason: string | null
  since: string
  evidence: Record<string, unknown>
}
const node = ({ nodes }: { nodes: Node[] }, id: string): Node => nodes.find((one) => one.id === id)!
const govern = ({ url }: { url: string }) =>
  post(`${url}/api/orch/v1/wow/govern`, JSON.stringify({ text: 'What is the capital of France?' }))

test('an empty ledger and a missing model are unknown with a reason, and everything else is tried and works', async (t) => {
  const fresh = await startApp(t, { ORCH_STORE: 'memory' }, [])
  // Each check has a limit; code that has never run may take longer than that on a busy machine.
  await send(`${fresh.url}/api/readyz`)
  const found = await topologyAt(fresh)
  assert.deepEqual(
    found.nodes.map(({ id }: Node) => id),
    [...NODE_IDS],
  )
  assert.deepEqual(found.counts, { healthy: 7, failing: 0, unknown: 2 })
  for (const id of ['reasoning', 'receipts']) {
    assert.equal(node(found, id).healthy, null)
    assert.ok(node(found, id).reason!.length > 0)
  }
  assert.deepEqual([found.core.id, found.core.healthy, found.label], ['operator', true, 'MEASURED'])
  assert.equal(node(found, 'mesh').evidence.nodes, 1)
  assert.deepEqual(node(found, 'voice').evidence, { event: 'reset', repeated_the_number: true })
  for (const { observed_calls, p50_ms, relation } of found.edges)
    if (relation !== 'reads or writes the store') assert.deepEqual([observed_calls, p50_ms], [0, null], relation)
})

test('after a decision the newest receipt is proven and the calls it took are counted', async () => {
  assert.equal((await govern(service)).status, 200)
  const found = await topologyAt(service)
  const { evidence } = node(found, 'receipts')
  assert.deepEqual(
    [evidence.digest_recomputed, evidence.link_recomputed, evidence.inclusion_verified, evidence.newest],
    [true, true, true, 0],
  )
  const calls = Object.fromEntries(
    found.edges.map((edge: { to: string; observed_calls: number }) => [edge.to, edge.observed_calls]),
  )
  assert.deepEqual([calls.gate, calls.receipts], [1, 1])
  assert.ok(calls.community >= 1)
  const appended = found.edges.find((edge: { to: string }) => edge.to === 'receipts')
  assert.ok(appended.p50_ms > 0 && appended.p99_ms >= appended.p50_ms)
  assert.equal(appended.window_s, 300)
  const size = service.app.ports.ledger.state().size
  await topologyAt(service)
  assert.equal(service.app.ports.ledger.state().size, size, 'looking leaves no receipt')
})

test('the test event goes to the check alone: a client that listens gets receipts and nothing else', async () => {
  const leave = new AbortController()
  const stream = await fetch(`${service.url}/api/orch/v1/events`, { signal: leave.signal })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  assert.match((await reader.read()).value!, /^: receipts follow/)
  assert.equal(node(await topologyAt(service), 'voice').healthy, true)
  await govern(service)
  assert.match((await reader.read()).value!, /^id: \d+\nevent: receipt\n/)
  leave.abort()
})

/** A service of its own, one part of which is broken by the test. */
async function broken(t: TestContext, spoil: (ports: typeof service.app.ports) => void) {
  const own = await startApp(t, { ORCH_STORE: 'memory' }, [])
  await govern(own)
  spoil(own.app.ports)
  return topologyAt(own)
}

const FAULTS: [name: string, id: string, spoil: (ports: typeof service.app.ports) => void][] = [
  [
    'a store that takes no row',
    'mesh',
    ({ ledger }) => {
      ledger.probe = async () => {
        throw new Error('disk full at /secret/path')
      }
    },
  ],
  [
    'a proof that does not lead to the root',
    'receipts',
    ({ ledger }) => {
      ledger.inclusion = async () => [new Uint8Array(32)]
    },
  ],
  [
    'a trace that is lost on the way',
    'telemetry',
    ({ telemetry }) => {
      telemetry.roundTrip = async () => ({ afterHop: false, inReply: true })
    },
  ],
  [
    'an event stream that says something else',
    'voice',
    (ports) => {
      ports.eventStream = async () =>
        (async function* () {
          yield ': receipts follow\n\n'
        })()
    },
  ],
  [
    'an event stream that is silent',
    'voice',
    (ports) => {
      ports.eventStream = async (_after, signal) =>
        (async function* () {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          yield ''
        })()
    },
  ],
  [
    'effects that were given up',
    'fleet',
    ({ outbox }) => {
      outbox.stats = async () => ({ pending: 1, claimed: 0, expiredLeases: 0, deadLetters: 3, oldestDueAt: null })
    },
  ],
  [
    'an outbox that cannot be read',
    'fleet',
    ({ outbox }) => {
      outbox.stats = async () => {
        throw new Error('no such table: /secret/path')
      }
    },
  ],
  [
    'policies that deny everything',
    'community',
    ({ policies }) => {
      const { authorize } = policies
      policies.authorize = (...asked) => ({ ...authorize(...asked), outcome: 'deny' })
    },
  ],
]
for (const [name, id, spoil] of FAULTS)
  test(`${name} makes ${id} fail, and no other part`, async (t) => {
    const found = await broken(t, spoil)
    assert.deepEqual(
      found.nodes.filter(({ healthy }: Node) => healthy === false).map((one: Node) => one.id),
      [id],
    )
    assert.ok(node(found, id).reason!.length > 0)
    assert.doesNotMatch(JSON.stringify(found), /secret/)
  })

test('an effect that was given up is found in the store, whoever it belongs to', async (t) => {
  const own = await startApp(t, { ORCH_STORE: 'memory' }, [])
  await govern(own)
  const effect = (key: string, state: string, rank: number) => ({
    ...{ space: 'gdw.effect/public', key: key.repeat(64), expect: 0, owner: 'o/s', state, rank, value: '{}' },
  })
  await own.app.ports.ledger.writeDocuments([effect('a', 'PENDING', Date.now() - 60_000)])
  const waiting = node(await topologyAt(own), 'fleet')
  assert.deepEqual([waiting.healthy, waiting.evidence.pending, waiting.evidence.dead_letters], [true, 1, 0])
  assert.ok(Number(waiting.evidence.oldest_due_seconds) >= 60)
  await own.app.ports.ledger.writeDocuments([effect('b', 'DEAD_LETTER', 1)])
  assert.equal(node(await topologyAt(own), 'fleet').healthy, false)
})

test('what fails here fails readiness by the same check', async (t) => {
  const own = await startApp(t, { ORCH_STORE: 'memory' }, [])
  own.app.ports.ledger.probe = () => Promise.reject(new Error('gone'))
  const [found, ready] = [await topologyAt(own), await send(`${own.url}/api/readyz`)]
  assert.deepEqual([node(found, 'mesh').healthy, found.core.healthy, ready.status], [false, false, 503])
  assert.equal(ready.json.components.store.state, node(found, 'mesh').evidence.state)
})

test('a part that no node stands for makes the middle fail, is counted and heads the page', async (t) => {
  for (const [name, blocking] of [
    ['signer', true],
    ['background', false],
  ] as const) {
    const own = await startApp(t, { ORCH_STORE: 'memory' }, [])
    const { report } = own.app.ports.readiness
    own.app.ports.readiness.report = async () => {
      const found = await report()
      const broken = { ...found.components[name]!, state: 'FAILED' as const, blocking, since: SINCE }
      const blocked = blocking ? [name] : []
      return { ...found, ready: !blocking, blocking: blocked, components: { ...found.components, [name]: broken } }
    }
    const { core, counts } = await topologyAt(own)
    assert.deepEqual([core.healthy, core.since, counts.failing], [false, SINCE, 1], name)
    const { text } = await send(`${own.url}/operator-organ`)
    const head = blocking ? `Not ready: blocked by ${name}` : `Ready: degraded by ${name}`
    assert.ok(text.includes(`${head}, since ${momentOf(SINCE)}`) && text.includes(', 1 failing, '), name)
  }
})

test('every part says since when it is as it is, and a change moves only its own time', async (t) => {
  const own = await startApp(t, { ORCH_STORE: 'memory' }, [])
  await govern(own)
  const before = await topologyAt(own)
  own.app.ports.outbox.stats = async () => ({
    pending: 1,
    claimed: 0,
    expiredLeases: 0,
    deadLetters: 3,
    oldestDueAt: null,
  })
  const after = await topologyAt(own)
  const moved = NODE_IDS.filter((id) => node(after, id).since !== node(before, id).since)
  assert.deepEqual(moved, ['fleet'])
  assert.ok(node(after, 'fleet').since > before.generated_at)
  assert.equal(node(await topologyAt(own), 'fleet').since, node(after, 'fleet').since)
})

const SINCE = '2026-01-02T03:04:05.006Z'

test('the page is HTML by default and its facts are JSON where that is asked for', async () => {
  const page = await send(`${service.url}/operator-organ`)
  assert.deepEqual(
    [page.status, page.headers['content-type'], page.headers.vary],
    [200, 'text/html; charset=utf-8', 'Accept'],
  )
  const browser = await send(`${service.url}/operator-organ`, {
    headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
  })
  assert.equal(browser.headers['content-type'], 'text/html; charset=utf-8')
  const facts = await send(`${service.url}/operator-organ`, { headers: JSON_WANTED })
  assert.deepEqual([facts.json.schema, facts.headers.vary], ['orch.topology/v1', 'Accept'])
  const both = await send(`${service.url}/operator-organ`, { headers: { accept: 'application/json;q=0.5, text/html' } })
  assert.equal(both.headers['content-type'], 'text/html; charset=utf-8')
})

test('nothing in the markup of the page runs, and its policy would not let it', async () => {
  const { text, headers } = await send(`${service.url}/operator-organ`)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
  assert.match(policy, /require-trusted-types-for 'script'$/)
  assert.doesNotMatch(policy, /unsafe|sha256|http/)
  assert.doesNotMatch(text, /<style|\son[a-z]+=|\sstyle=|javascript:/i)
  for (const [, inside] of text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)) assert.equal(inside, '')
  const loaded = [...text.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path]) => path!)
  for (const path of new Set(loaded.filter((one) => !one.endsWith('/events'))))
    assert.ok((await send(service.url + path)).status < 400, path)
})

test('the script, the style and the theme are files with a tag, and the script is JSON where that is asked for', async () => {
  for (const path of ['/operator-organ/app.js', '/pages/style.css', '/pages/theme.js']) {
    const first = await send(service.url + path)
    assert.deepEqual([first.status, first.headers['cache-control']], [200, 'public, max-age=3600'])
    const again = await send(service.url + path, { headers: { 'if-none-match': first.headers.etag as string } })
    assert.deepEqual([again.status, again.text], [304, ''])
  }
  const { json } = await send(`${service.url}/operator-organ/app.js`, { headers: JSON_WANTED })
  const { text, headers } = await send(`${service.url}/operator-organ/app.js`)
  assert.equal(json.source, text)
  assert.deepEqual([`"${json.sha256}"`, headers.vary], [headers.etag, 'Accept'])
})
