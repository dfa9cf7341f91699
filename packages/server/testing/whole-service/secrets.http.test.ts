// The real process, asked for everything it does, with secrets where operators and callers put them: nothing it prints,
// answers, counts, traces or records holds one of them.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callEverything } from '../every-operation.ts'
import { startCollector } from '../otlp-collector.ts'
import { leaksIn, plantSecrets, privateKeys } from '../planted-secrets.ts'
import { freshFolder } from '../private-folder.ts'
import { exchange, post, send } from '../raw-http.ts'
import { startService } from '../service.ts'
import { startStubUpstream } from '../stub-upstream.ts'

/** What a caller says in confidence. Its own reply may repeat it; nothing that stays may. */
const CALLERS = new Map([
  ['a prompt', 'planted prompt of a caller 4711 and more of it'],
  ['a wrong token', 'planted-wrong-token-of-a-caller'],
  ['a query', 'planted-query-of-a-caller'],
  ['a path', 'planted-path-of-a-caller'],
])
const said = (name: string) => CALLERS.get(name)!

async function misbehave(url: string, authorization: string): Promise<Map<string, string>> {
  const port = Number(new URL(url).port)
  const headers = { authorization }
  const answers = [
    await post(`${url}/api/orch/v1/wow/govern`, JSON.stringify({ text: said('a prompt') }), headers),
    await post(`${url}/api/orch/v1/wow/govern`, `{"text": "${said('a prompt')}`, headers),
    await post(`${url}/api/orch/v1/wow/govern`, JSON.stringify({ wrong: said('a prompt') }), headers),
    await send(`${url}/metrics`, { headers: { authorization: `Bearer ${said('a wrong token')}` } }),
    await send(`${url}/api/readyz?x=${said('a query')}`),
    await send(`${url}/${said('a path')}`),
    await post(`${url}/v1/chat/completions`, chat(said('a prompt')), headers),
  ]
  await exchange(port, `GET /${said('a path')} HTTP/9.9\r\nauthorization: ${authorization}\r\n\r\n`)
  return new Map(answers.map(({ text, headers: sent }, at) => [`misuse ${at}`, text + JSON.stringify(sent)]))
}

const chat = (content: string) => JSON.stringify({ model: 'stub-model', messages: [{ role: 'user', content }] })

/** All that lies in the data folder but the files that are there to hold the keys. */
function storedTexts(data: string, keyFiles: ReadonlySet<string>): Map<string, string> {
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !keyFiles.has(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
  return new Map(files.map((file) => [file.slice(data.length + 1), readFileSync(file, 'latin1')]))
}

test('no secret of the operator comes out anywhere, and nothing a caller said in confidence stays', async (t) => {
  const folder = freshFolder('secrets')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const collector = await startCollector(t)
  const upstream = await startStubUpstream(t)
  const { env, secrets, token } = plantSecrets(folder)
  const settings = {
    ...env,
    ORCH_OTLP_ENDPOINT: collector.url,
    ORCH_UPSTREAM_URL: upstream.url,
    ORCH_UPSTREAM_MODEL: 'stub-model',
    ORCH_LOG: 'json',
    ORCH_LOG_LEVEL: 'trace',
  }
  const data = join(folder, 'data')
  const service = await startService({ env: settings, data })
  t.after(() => service.close())
  const authorization = `Bearer ${token}`
  const misuse = await misbehave(service.url, authorization)
  const { called } = await callEverything(service.url, { authorization })
  const scrape = await send(`${service.url}/metrics`, { headers: { authorization } })
  await service.stop()

  assert.ok(called.length > 60, `${called.length} operations were called`)
  const worked = called.filter(({ answer }) => answer.status === 200)
  assert.ok(worked.length > called.length / 2, `${worked.length} of ${called.length} answered 200`)
  assert.ok(upstream.asked.some(({ headers }) => headers.authorization?.includes(env.ORCH_UPSTREAM_KEY!)))
  assert.equal(collector.seen[0]?.authorization, secrets.get('ORCH_OTLP_HEADERS'))

  const logged = service.output()
  assert.match(logged, /"route":"\/api\/orch\/v1\/wow\/govern".*"receipt":"[0-9a-f]{64}"/, 'the log tells of decisions')
  const keys = privateKeys(data)
  assert.ok(keys.size >= 2, `private keys in ${[...keys.keys()].join()}`)
  const staying = new Map([
    ['the log', logged],
    ['the metrics', scrape.text],
    ['the traces', collector.seen.map(({ text }) => text).join('\n')],
    ...storedTexts(data, new Set(keys.keys())),
  ])
  const replies = new Map(called.map(({ id, answer }) => [id, answer.text + JSON.stringify(answer.headers)]))
  assert.deepEqual(leaksIn(new Map([...staying, ...replies, ...misuse]), new Map([...secrets, ...keys])), [])
  assert.deepEqual(leaksIn(staying, CALLERS), [])
})

test('the search finds a secret in each dress it may wear', () => {
  const secret = 'planted-secret-0123456789abcdef'
  const bytes = Buffer.from(`{"a":"${secret}"}`)
  const dresses = [secret, bytes.toString('base64'), bytes.toString('hex'), `?q=${encodeURIComponent(secret)}`]
  for (const text of dresses)
    assert.deepEqual(leaksIn(new Map([['here', text]]), new Map([['it', secret]])), ['it in here'], text)
  assert.deepEqual(leaksIn(new Map([['here', 'nothing of it']]), new Map([['it', secret]])), [])
})
