// The registry over HTTP, and live metadata from a server on this machine that speaks the format of the GitHub API.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { documentStore, movedClock } from '#testing/readings/reader.ts'
import { openOutbound } from '../../adapters/outbound/outbound.ts'
import { githubMetadata, githubProviders } from './io/github.ts'

const P = '/api/orch/v1/frontier/projects'
const plain = await startApp({ after }, { ORCH_STORE: 'memory' }, [])

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** What GitHub answers for a repository, by its documented form. */
const page = (full_name: string, more: object = {}) => ({
  ...{ id: 1, node_id: 'R_x', name: full_name.split('/')[1], full_name, private: false },
  ...{ html_url: `https://github.com/${full_name}`, description: 'text <script>', fork: false, stargazers_count: 9 },
  ...{ default_branch: 'main', open_issues_count: 7, archived: false, pushed_at: '2026-01-02T03:04:05Z' },
  license: { key: 'apache-2.0', name: 'Apache License 2.0', spdx_id: 'Apache-2.0', url: 'https://api.github.com/x' },
  ...more,
})
const nameIn = (request: IncomingMessage): string => (request.url ?? '').replace('/repos/', '')
const json =
  (body: unknown, headers = {}): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(JSON.stringify(body))
  }
const wellBehaved: Answer = (request, response) => json(page(nameIn(request)))(request, response)

async function localServer(t: TestContext, answer: Answer) {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function github(t: TestContext, answer: Answer, env: Record<string, string> = {}) {
  const { asked, origin } = await localServer(t, answer)
  const settings = { ORCH_STORE: 'memory', ORCH_FRONTIER_METADATA: 'on', ORCH_SOURCE_GITHUB_URL: origin, ...env }
  const { url } = await startApp(t, settings, [])
  return { asked, url, origin }
}

const FORMAL = 'field=formal_proof_training'
type Meta = { mode: string; label: string; reason: string | null; value: Record<string, unknown> | null }
const metadata = async (url: string, query = FORMAL): Promise<Record<string, Meta>> => {
  const { status, json: body } = await send(`${url}${P}?${query}`)
  assert.equal(status, 200)
  return body.live_metadata
}

test('without network configuration every repository is unreachable, and nothing is invented', async () => {
  const { status, json: body } = await send(`${plain.url}${P}`)
  assert.deepEqual([status, body.count, body.total, body.next_cursor], [200, 51, 51, null])
  const rows = Object.values(body.live_metadata as Record<string, Meta>)
  assert.equal(rows.length, 46)
  for (const row of rows)
    assert.deepEqual(row, {
      ...{ mode: 'unreachable', label: 'UNAVAILABLE', reason: 'NOT_CONFIGURED', source: null },
      ...{ fetched_at: null, age_seconds: null, value: null },
    })
})

test('every operation that a row of the registry names is served by this build', async () => {
  const { json: body } = await send(`${plain.url}${P}`)
  for (const { id, implemented_by } of body.projects) {
    const { operation, registered, label } = implemented_by
    assert.deepEqual([registered, label], operation === null ? [false, 'ROADMAP'] : [true, 'LIVE'], id)
  }
})

test('fields, bounds and cursors that do not fit are 422 with their name, and so is an unknown one', async () => {
  const misfits: [query: string, name: string][] = [
    ['field=nothing', 'field'],
    ['field=', 'field'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=abc', 'limit'],
    ['cursor=p0', 'cursor'],
    ['cursor=51', 'cursor'],
    ['cursor=p51', 'cursor'],
    ['rank=stars', 'rank'],
    ['field=formal_proof_training&cursor=p5', 'cursor'],
  ]
  for (const [query, name] of misfits) {
    const { status, json: body } = await send(`${plain.url}${P}?${query}`)
    assert.deepEqual([status, body.detail?.[0]?.loc.at(-1)], [422, name], query)
  }
  for (const limit of ['1', '100']) assert.equal((await send(`${plain.url}${P}?limit=${limit}`)).status, 200)
})

test('info and list say the same digest, HEAD answers, and other methods are 405', async () => {
  const [info, list] = [await send(`${plain.url}${P}/info`), await send(`${plain.url}${P}?limit=1`)]
  assert.equal(info.json.registry_digest, list.json.registry_digest)
  assert.deepEqual([info.json.label, info.json.ranking, info.json.unique_repository_count], ['SAMPLE', 'NONE', 46])
  for (const path of [P, `${P}/info`]) {
    assert.equal((await send(`${plain.url}${path}`, { method: 'HEAD' })).status, 200)
    const refused = await send(`${plain.url}${path}`, { method: 'DELETE' })
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD'])
  }
})

test('a repository is asked for once, live the first time and from the cache after that', async (t) => {
  const { asked, url, origin } = await github(t, wellBehaved, { ORCH_GITHUB_TOKEN: 'planted-token' })
  const first = await metadata(url)
  assert.equal(asked.length, 5)
  assert.equal(asked[0]!.headers.authorization, 'Bearer planted-token')
  assert.deepEqual(first['huggingface/trl'], {
    ...{ mode: 'live', label: 'MEASURED', reason: null, source: origin, age_seconds: 0 },
    fetched_at: (first['huggingface/trl'] as unknown as { fetched_at: string }).fetched_at,
    value: {
      ...{ full_name: 'huggingface/trl', default_branch: 'main', license: 'Apache-2.0', archived: false },
      ...{ open_issues: 7, pushed_at: '2026-01-02T03:04:05.000Z' },
    },
  })
  const again = await metadata(url)
  assert.equal(asked.length, 5)
  assert.deepEqual([again['huggingface/trl']!.mode, again['huggingface/trl']!.label], ['cached', 'SAMPLE'])
  const whole = await send(`${url}${P}`)
  assert.equal(new Set(asked.map(nameIn)).size, asked.length, 'each repository once')
  assert.ok(!whole.text.includes('planted-token') && !whole.text.includes('<script>'))
})

test('a repository without a licence or a push says null', async (t) => {
  const { url } = await github(t, (request, response) =>
    json(page(nameIn(request), { license: null, pushed_at: null }))(request, response),
  )
  const { value } = (await metadata(url))['huggingface/trl']!
  assert.deepEqual([value!.license, value!.pushed_at], [null, null])
})

const raw =
  (status: number, headers: Record<string, string>, body: string | Uint8Array): Answer =>
  (_, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
const JSON_HEAD = { 'content-type': 'application/json' }
const changed =
  (more: object): Answer =>
  (request, response) =>
    json(page(nameIn(request), more))(request, response)

const HOSTILE: readonly (readonly [what: string, code: RegExp, answer: Answer])[] = [
  ['a page', /^NON_JSON_RESPONSE$/, raw(200, { 'content-type': 'text/html' }, '<html>')],
  ['an encoded body', /^ENCODED_RESPONSE_DENIED$/, raw(200, { ...JSON_HEAD, 'content-encoding': 'gzip' }, 'x')],
  ['more than 2 MiB', /^RESPONSE_TOO_LARGE$/, raw(200, JSON_HEAD, `"${'x'.repeat(2 * 2 ** 20)}"`)],
  ['cut JSON', /^INVALID_JSON$/, raw(200, JSON_HEAD, '{"full_name":')],
  ['a key twice', /^DUPLICATE_JSON_KEY$/, raw(200, JSON_HEAD, '{"full_name":"a/b","full_name":"c/d"}')],
  ['invalid UTF-8', /^INVALID_JSON$/, raw(200, JSON_HEAD, Uint8Array.of(0x22, 0xff, 0x22))],
  ['a list', /^INVALID_SOURCE_SCHEMA$/, raw(200, JSON_HEAD, '[]')],
  ['no repository', /^UPSTREAM_HTTP_404$/, raw(404, JSON_HEAD, '{"message":"Not Found"}')],
  ['a limit of its own', /^UPSTREAM_HTTP_403$/, raw(403, JSON_HEAD, '{"message":"API rate limit exceeded"}')],
  ['another repository', /^IDENTITY_MISMATCH$/, changed({ full_name: 'evil/other' })],
  ['a branch that would run', /^INVALID_SOURCE_SCHEMA$/, changed({ default_branch: '"><script>' })],
  ['a licence that is a text', /^INVALID_SOURCE_SCHEMA$/, changed({ license: 'MIT' })],
  ['a licence that would run', /^INVALID_SOURCE_SCHEMA$/, changed({ license: { spdx_id: '<b>' } })],
  ['issues below zero', /^INVALID_SOURCE_SCHEMA$/, changed({ open_issues_count: -1 })],
  ['issues that are a text', /^INVALID_SOURCE_SCHEMA$/, changed({ open_issues_count: '7' })],
  ['a day that is none', /^INVALID_SOURCE_TIMESTAMP$/, changed({ pushed_at: '2026-13-40T03:04:05Z' })],
  ['a time that is none', /^INVALID_SOURCE_SCHEMA$/, changed({ pushed_at: 'yesterday' })],
  ['a redirect elsewhere', /^REDIRECT_DENIED$/, raw(302, { location: 'http://169.254.169.254/' }, '')],
  ['a closed connection', /^TRANSPORT_UNAVAILABLE$/, (request) => request.socket.destroy()],
]
for (const [what, code, answer] of HOSTILE)
  test(`a host that answers with ${what} gives no value and a code`, async (t) => {
    const { origin } = await localServer(t, answer)
    const settings = { enabled: true, token: null, origin }
    const parts = { store: documentStore(), clock: movedClock() }
    const outbound = openOutbound({ enabled: true, privateHosts: [] }, githubProviders(settings), parts)
    const names = ['leanprover/lean4', 'huggingface/trl']
    const rows = await githubMetadata(settings, outbound)(names, new AbortController().signal)
    assert.deepEqual(Object.keys(rows), names)
    for (const { mode, label, value, reason } of Object.values(rows)) {
      assert.deepEqual([mode, label, value], ['unreachable', 'UNAVAILABLE', null])
      assert.match(reason!, code)
    }
  })

test('a host that never answers costs five seconds in all and is then unreachable', async (t) => {
  const { origin, asked } = await localServer(t, () => undefined)
  const settings = { enabled: true, token: null, origin }
  const parts = { store: documentStore(), clock: movedClock() }
  const outbound = openOutbound({ enabled: true, privateHosts: [] }, githubProviders(settings), parts)
  const names = Array.from({ length: 20 }, (_, i) => `owner/name-${i}`)
  const rows = Object.values(await githubMetadata(settings, outbound)(names, new AbortController().signal))
  assert.ok(rows.every(({ mode, value }) => mode === 'unreachable' && value === null))
  assert.ok(rows.some(({ reason }) => reason === 'RESPONSE_DEADLINE'))
  assert.ok(asked.length < names.length, 'not all of them were waited for')
})

test('where the operator wants nothing sent, nothing is', async (t) => {
  const { url, asked } = await github(t, wellBehaved, { ORCH_OUTBOUND: 'off' })
  const rows = Object.values(await metadata(url))
  assert.ok(rows.every(({ reason, mode }) => reason === 'TRANSPORT_DISABLED' && mode === 'unreachable'))
  assert.equal(asked.length, 0)
})
