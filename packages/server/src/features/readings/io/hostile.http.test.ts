import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { comparison, HEAD, type LocalHosts, PATHS, SPACE_SHA } from '#testing/readings/local-hosts.ts'
import { reader } from '#testing/readings/reader.ts'

const DEPLOYED = 'b'.repeat(40)

type Reply = (hosts: LocalHosts) => void
const page =
  (path: string, change: object): Reply =>
  ({ pages }) =>
    void pages.set(path, { ...(pages.get(path) as object), ...change })
const raw =
  (path: string, headers: Record<string, string>, body: string | Uint8Array): Reply =>
  ({ misbehaving }) =>
    void misbehaving.set(path, (_, response) => {
      response.writeHead(200, headers)
      response.end(body)
    })
const JSON_HEAD = { 'content-type': 'application/json' }
const { space } = PATHS

const hostile: [what: string, code: string, reply: Reply][] = [
  ['a page in place of JSON', 'NON_JSON_RESPONSE', raw(space, { 'content-type': 'text/html' }, '<html>')],
  ['an encoded body', 'ENCODED_RESPONSE_DENIED', raw(space, { ...JSON_HEAD, 'content-encoding': 'gzip' }, 'x')],
  ['more than is read', 'RESPONSE_TOO_LARGE', raw(space, JSON_HEAD, `"${'x'.repeat(4 * 2 ** 20)}"`)],
  [
    'a declared length over the limit',
    'RESPONSE_TOO_LARGE',
    raw(space, { ...JSON_HEAD, 'content-length': '99999999' }, 'x'),
  ],
  ['cut JSON', 'INVALID_JSON', raw(space, JSON_HEAD, '{"id":')],
  ['a key twice', 'DUPLICATE_JSON_KEY', raw(space, JSON_HEAD, '{"id":"a/b","id":"acme/console"}')],
  ['invalid UTF-8', 'INVALID_JSON', raw(space, JSON_HEAD, Uint8Array.of(0x22, 0xff, 0x22))],
  ['a list', 'INVALID_SOURCE_SCHEMA', raw(space, JSON_HEAD, '[]')],
  ['another space', 'IDENTITY_MISMATCH', page(space, { id: 'acme/elsewhere' })],
  ['a commit that is none', 'INVALID_SOURCE_IDENTIFIER', page(space, { sha: 'main' })],
  ['no commit', 'MISSING_SOURCE_FIELD', page(space, { sha: null })],
  ['a stage that is an object', 'INVALID_SOURCE_TEXT', page(space, { runtime: { stage: { toString: 1 } } })],
  ['a time that is none', 'INVALID_SOURCE_TIMESTAMP', page(space, { lastModified: 'yesterday' })],
  [
    'a redirect to another origin',
    'REDIRECT_DENIED',
    ({ misbehaving }) =>
      void misbehaving.set(space, (_, response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      ),
  ],
  [
    'a redirect that never ends',
    'REDIRECT_DENIED',
    ({ misbehaving }) =>
      void misbehaving.set(space, (_, response) => response.writeHead(302, { location: space }).end()),
  ],
]
for (const [what, code, reply] of hostile)
  test(`a space host that answers with ${what} gives no value and ${code}`, async (t) => {
    const { readings, background, hosts, clock } = await reader(t)
    reply(hosts)
    await background.run('readiness-round')
    assert.deepEqual([readings.space().value, readings.space().reason], [null, code])
    assert.equal(readings.repository().head.mode, 'cached', 'the other readings are as good as ever')
    hosts.misbehaving.clear()
    hosts.pages.set(space, { id: 'acme/console', sha: SPACE_SHA })
    clock.forward(301)
    await background.run('readiness-round')
    assert.equal(readings.space().sha, SPACE_SHA)
  })

const badRepository: [what: string, part: 'repository' | 'ci' | 'compare', code: string, reply: Reply][] = [
  [
    'a link that would run',
    'repository',
    'INVALID_SOURCE_IDENTIFIER',
    page(PATHS.repository, { html_url: 'javascript:alert(1)' }),
  ],
  ['another repository', 'repository', 'IDENTITY_MISMATCH', page(PATHS.repository, { full_name: 'evil/orch' })],
  ['a count below zero', 'repository', 'INVALID_SOURCE_NUMBER', page(PATHS.repository, { open_issues_count: -1 })],
  ['runs that are no list', 'ci', 'INVALID_SOURCE_COLLECTION', page(PATHS.ci, { workflow_runs: {} })],
  [
    'a comparison of another base',
    'compare',
    'IDENTITY_MISMATCH',
    ({ pages }) => void pages.set(PATHS.compare(DEPLOYED), comparison(HEAD, 'ahead', 3, 0)),
  ],
  [
    'a comparison that contradicts itself',
    'compare',
    'INVALID_SOURCE_SCHEMA',
    ({ pages }) => void pages.set(PATHS.compare(DEPLOYED), comparison(DEPLOYED, 'identical', 3, 0)),
  ],
]
for (const [what, part, code, reply] of badRepository)
  test(`a repository host that answers with ${what} gives no ${part} and ${code}`, async (t) => {
    const { readings, background, hosts } = await reader(t, { deployed: DEPLOYED })
    reply(hosts)
    await background.run('readiness-round')
    const found = readings.repository()[part]
    assert.deepEqual([found.value, found.reason], [null, code])
  })

test('a redirect on the same origin is followed, and text is clipped to one line', async (t) => {
  const { readings, background, hosts } = await reader(t)
  hosts.misbehaving.set(space, (_, response) => response.writeHead(301, { location: '/moved' }).end())
  const stage = `RUN\u0000\u202e\n${'x'.repeat(100)}`
  hosts.pages.set('/moved', { id: 'acme/console', sha: SPACE_SHA, runtime: { stage } })
  await background.run('readiness-round')
  const shown = readings.space().value?.stage ?? ''
  assert.match(shown, /^RUN {3}x+$/)
  assert.equal(shown.length, 32)
})

test('a host that takes the connection and never secures it is given up', async (t) => {
  const silent = createServer()
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve)
  })
  t.after(() => silent.close())
  const origin = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { readings } = await reader(t, { more: { space: { name: 'acme/console', origin } } })
  assert.equal((await readings.take('space')).view.space().reason, 'RESPONSE_DEADLINE')
})
