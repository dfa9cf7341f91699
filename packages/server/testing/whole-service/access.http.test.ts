import assert from 'node:assert/strict'
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { credentialSource, tokenDigest } from '../../src/adapters/credentials.ts'
import { type Service, startApp } from '../layer.ts'
import { freshFolder } from '../private-folder.ts'
import { exchange, statuses } from '../raw-http.ts'

const folder = freshFolder('access')
after(() => rmSync(folder, { recursive: true, force: true }))
const registry = join(folder, 'registry.json')
const entry = (id: string, more: object) => ({
  key_id: id,
  namespace: 'team',
  owner_id: `${id}-owner`,
  token_sha256: Buffer.from(tokenDigest(`token-${id}`)).toString('hex'),
  ...more,
})
const GOOD = {
  credentials: [
    entry('full', { role: 'user' }),
    entry('reader', { scopes: ['receipts:read'] }),
    entry('gone', { role: 'admin', revoked: true }),
  ],
}
function writeRegistry(file: string, document: unknown): void {
  // A new file put in place of the old one: the service never sees half of it.
  writeFileSync(`${file}.new`, typeof document === 'string' ? document : JSON.stringify(document), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
writeRegistry(registry, GOOD)

const open = await startApp({ after })
const token = await startApp({ after }, { ORCH_HOST: '0.0.0.0' })
const registered = await startApp({ after }, { ORCH_CREDENTIALS: registry })
const loud = await startApp({ after }, { ORCH_HOST: '0.0.0.0', ORCH_AUTH: 'open' })
const generated = String(token.app.generatedToken)

type Expected = number | [status: number, code: string]
type Line = [what: string, authorization: string[], write: Expected, read: Expected, unscoped: Expected]

const UNKNOWN: Expected = [401, 'invalid_bearer_token']
const MALFORMED: Expected = [401, 'invalid_authorization']
const MISSING: Expected = [401, 'missing_authorization']

const inTokenMode: Line[] = [
  ['no credential', [], MISSING, 200, 200],
  ['the generated token', [`Bearer ${generated}`], 200, 200, 200],
  ['the scheme in capitals', [`BEARER ${generated}`], 200, 200, 200],
  ['another scheme', ['Basic dXNlcjpwYXNz'], MALFORMED, MALFORMED, 200],
  ['a scheme without a token', ['Bearer'], MALFORMED, MALFORMED, 200],
  ['a token with a space in it', ['Bearer a b'], MALFORMED, MALFORMED, 200],
  ['an empty header', [''], MALFORMED, MALFORMED, 200],
  ['two headers', [`Bearer ${generated}`, `Bearer ${generated}`], MALFORMED, MALFORMED, 200],
  ['a token over 4096 characters', [`Bearer ${'x'.repeat(4097)}`], MALFORMED, MALFORMED, 200],
  ['an unknown token', ['Bearer nobody'], UNKNOWN, UNKNOWN, 200],
  ['the token cut short', [`Bearer ${generated.slice(0, -1)}`], UNKNOWN, UNKNOWN, 200],
]
const inRegistryMode: Line[] = [
  ['no credential', [], MISSING, MISSING, 200],
  ['a good credential', ['Bearer token-full'], 200, 200, 200],
  ['the scheme in capitals', ['BEARER token-full'], 200, 200, 200],
  ['another scheme', ['Digest token-full'], MALFORMED, MALFORMED, 200],
  ['two headers', ['Bearer token-full', 'Bearer token-reader'], MALFORMED, MALFORMED, 200],
  ['an unknown token', ['Bearer token-nobody'], UNKNOWN, UNKNOWN, 200],
  ['the digest of a token', [`Bearer ${GOOD.credentials[0]!.token_sha256}`], UNKNOWN, UNKNOWN, 200],
  ['a revoked credential', ['Bearer token-gone'], [403, 'credential_revoked'], [403, 'credential_revoked'], 200],
  ['a credential without the scope', ['Bearer token-reader'], [403, 'missing_scopes'], 200, 200],
]
const everythingGoes = ([what, headers]: Line): Line => [what, headers, 200, 200, 200]

async function ask(service: Service, method: string, path: string, authorization: string[]): Promise<string> {
  const lines = authorization.map((value) => `authorization: ${value}\r\n`).join('')
  const body = method === 'POST' ? 'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}' : '\r\n'
  return exchange(service.port, `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${lines}${body}`)
}

function expectAnswer(raw: string, expected: Expected): void {
  const [status, code] = typeof expected === 'number' ? [expected, null] : expected
  assert.deepEqual(statuses(raw), [status], raw)
  if (code !== null) assert.ok(raw.includes(`"code":"${code}"`), raw)
  assert.equal(/\r\nwww-authenticate: Bearer\r\n/.test(raw), status === 401)
}

for (const [mode, service, lines] of [
  ['open', open, inTokenMode.map(everythingGoes)],
  ['open by decree', loud, inTokenMode.map(everythingGoes)],
  ['token', token, inTokenMode],
  ['registry', registered, inRegistryMode],
] as const)
  for (const [what, authorization, write, read, unscoped] of lines)
    test(`${mode}: ${what}`, async () => {
      expectAnswer(await ask(service, 'POST', '/api/orch/v1/layer/guarded', authorization), write)
      expectAnswer(await ask(service, 'GET', '/api/orch/v1/layer/guarded', authorization), read)
      expectAnswer(await ask(service, 'POST', '/api/orch/v1/layer/echo', authorization), unscoped)
      expectAnswer(await ask(service, 'GET', '/api/livez', authorization), 200)
    })

test('each credential is led to its own data, and health says which mode holds', async () => {
  assert.match(
    await ask(registered, 'GET', '/api/orch/v1/layer/guarded', ['Bearer token-reader']),
    /\{"namespace":"team","owner":"reader-owner","key_id":"reader"\}/,
  )
  for (const [service, mode] of [
    [open, 'open'],
    [loud, 'open'],
    [token, 'token'],
    [registered, 'registry'],
  ] as const)
    assert.match(await ask(service, 'GET', '/api/orch/v1/health', []), new RegExp(`"auth_mode":"${mode}"`))
})

test('metrics need their scope with a registry and none without', async () => {
  expectAnswer(await ask(registered, 'GET', '/metrics', []), MISSING)
  expectAnswer(await ask(registered, 'GET', '/metrics', ['Bearer token-full']), [403, 'missing_scopes'])
  expectAnswer(await ask(token, 'GET', '/metrics', []), 200)
})

test('a registry that cannot be read admits nobody to what needs a scope, readyz says so, health goes on', async (t) => {
  const file = join(folder, 'broken.json')
  writeRegistry(file, '{"credentials": [')
  const service = await startApp(t, { ORCH_CREDENTIALS: file })
  for (const method of ['GET', 'POST'])
    expectAnswer(await ask(service, method, '/api/orch/v1/layer/guarded', ['Bearer token-full']), [
      503,
      'credential_registry_unavailable',
    ])
  const ready = await ask(service, 'GET', '/api/readyz', [])
  assert.deepEqual(statuses(ready), [503])
  assert.match(ready, /\r\nretry-after: 5\r\n/)
  const body = JSON.parse(ready.slice(ready.indexOf('\r\n\r\n') + 4))
  assert.ok(body.blocking_components.includes('credentials'))
  assert.equal(body.components.credentials.detail.code, 'REGISTRY_INVALID')
  expectAnswer(await ask(service, 'GET', '/api/livez', []), 200)
})

const faults: [what: string, document: unknown][] = [
  ['a list', []],
  ['an entry with an unknown property', { credentials: [entry('a', { role: 'user', admin: true })] }],
  ['an entry with both scopes and role', { credentials: [entry('a', { role: 'user', scopes: [] })] }],
  ['an entry with neither', { credentials: [entry('a', {})] }],
  ['an unknown role', { credentials: [entry('a', { role: 'constructor' })] }],
  ['an unknown scope', { credentials: [entry('a', { scopes: ['receipts:all'] })] }],
  ['a digest in capitals', { credentials: [entry('a', { role: 'user', token_sha256: 'A'.repeat(64) })] }],
  [
    'two entries of one name',
    { credentials: [entry('a', { role: 'user' }), entry('a', { role: 'user', token_sha256: 'b'.repeat(64) })] },
  ],
  [
    'two entries of one token',
    { credentials: [entry('a', { role: 'user' }), entry('a', { role: 'user', key_id: 'b' })] },
  ],
  ['revoked as a word', { credentials: [entry('a', { role: 'user', revoked: 'no' })] }],
  ['one property twice', '{"credentials":[],"credentials":[]}'],
]
for (const [what, document] of faults)
  test(`a registry with ${what} is refused as a whole, without quoting it`, () => {
    const file = join(folder, 'fault.json')
    writeRegistry(file, document)
    const source = credentialSource({ auth: 'auto', credentials: file, host: '127.0.0.1' })
    const current = source.current()
    source.stop()
    assert.ok('fault' in current, what)
    assert.doesNotMatch(current.fault, /[0-9a-fA-F]{16}/)
  })

test('a registry replaced, broken, opened to others or removed at run time is noticed, and so is its repair', async () => {
  const file = join(folder, 'changing.json')
  writeRegistry(file, GOOD)
  const source = credentialSource({ auth: 'registry', credentials: file, host: '127.0.0.1' }, 10)
  const state = () => {
    const current = source.current()
    return 'entries' in current ? current.entries.length : 'fault'
  }
  const becomes = async (wanted: number | 'fault') => {
    for (let tries = 0; tries < 200 && state() !== wanted; tries += 1) await pause(10)
    assert.equal(state(), wanted)
  }
  assert.equal(state(), 3)
  writeRegistry(file, { credentials: GOOD.credentials.slice(0, 1) })
  await becomes(1)
  writeRegistry(file, 'nonsense')
  await becomes('fault')
  writeRegistry(file, GOOD)
  await becomes(3)
  chmodSync(file, 0o644)
  await becomes('fault')
  chmodSync(file, 0o600)
  await becomes(3)
  renameSync(file, `${file}.away`)
  await becomes('fault')
  renameSync(`${file}.away`, file)
  await becomes(3)
  source.stop()
})
