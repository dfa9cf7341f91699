import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { canonicalBytes, sha256Hex } from '@orch/core'
import { Value } from 'typebox/value'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import type { Call } from '../../operation.ts'
import { ASSET_KEYS } from './catalog.ts'
import { assets } from './operations.ts'
import { AssetItem } from './schemas.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const P = `${service.url}/api/orch/v1`
const root = new URL('../../../../../', import.meta.url)
const digest = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('the manifest lists the closed table with the digests of what lies there now, and a digest of itself', async () => {
  const { json } = await send(`${P}/assets/manifest`)
  assert.deepEqual(Object.keys(json.assets).sort(), [...ASSET_KEYS].sort())
  assert.equal(json.count, 16)
  assert.equal(json.manifest_sha256, sha256Hex(canonicalBytes(json.assets)))
  const { changelog, sbom, policies } = json.assets
  const file = readFileSync(new URL('CHANGELOG.md', root))
  assert.deepEqual([changelog.present, changelog.bytes, changelog.sha256], [true, file.length, digest(file)])
  assert.deepEqual([sbom.present, sbom.bytes, sbom.sha256, sbom.modified_at], [false, null, null, null])
  assert.equal(policies.kind, 'directory')
})

test('who asks for the manifest while it is being made gets that one', async () => {
  const { ports } = service.app
  let licences = 0
  const assetFiles: typeof ports.assetFiles = {
    read(name) {
      licences += name === 'license' ? 1 : 0
      return ports.assetFiles.read(name)
    },
  }
  const { run } = assets({ ...ports, assetFiles }).find(({ id }) => id === 'assets.manifest')!
  const [one, other] = await Promise.all([run({} as Call), run({} as Call)])
  assert.deepEqual([licences, other], [1, one])
  await run({} as Call)
  assert.equal(licences, 2, 'whoever asks later has them read again')
})

test('every item that is present has the bytes its row promises, and what is absent says why', async () => {
  const { json: manifest } = await send(`${P}/assets/manifest`)
  for (const key of ASSET_KEYS) {
    const row = manifest.assets[key]
    const { json: item } = await send(service.url + row.url)
    const raw = await send(service.url + row.raw_url)
    assert.equal(Value.Check(AssetItem, item), true, key)
    assert.deepEqual([item.present, item.sha256, item.bytes], [row.present, row.sha256, row.bytes], key)
    if (!row.present) {
      assert.deepEqual([item.label, item.preview, raw.status], ['UNAVAILABLE', null, 404], key)
      assert.ok(item.reason.length > 0)
      assert.equal(raw.json.error.code, 'asset_absent')
      continue
    }
    assert.equal(item.label, 'MEASURED')
    assert.equal(digest(raw.text), row.sha256, key)
    assert.equal(raw.headers.etag, `"${row.sha256}"`)
    assert.ok(raw.headers['content-type']?.startsWith(row.media_type))
    assert.ok(raw.text.startsWith(item.preview))
    assert.equal(item.preview_truncated, [...raw.text].length > 4096, key)
    if (item.preview_truncated) assert.equal([...item.preview].length, 4096)
  }
})

test('a folder is handed out as the lines its digest is made of', async () => {
  const { text } = await send(`${P}/assets/policies?raw=1`)
  const govern = readFileSync(new URL('policies/govern.cedar', root))
  assert.ok(text.split('\n').includes(`${digest(govern)} govern.cedar`))
  assert.ok(text.includes(' anatomy/intent.cedar\n'))
})

test('whoever has the bytes already is told so and sent nothing', async () => {
  const first = await send(`${P}/assets/license?raw=1`)
  const again = await send(`${P}/assets/license?raw=1`, { headers: { 'if-none-match': `"x", ${first.headers.etag}` } })
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', first.headers.etag])
})

test('a key that signs after the start is in the list of keys', async () => {
  await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify({ payload: { text: 'x' } }))
  const { text } = await send(`${P}/assets/public-keys?raw=1`)
  const { keys } = JSON.parse(text)
  assert.equal(keys.length, 1)
  assert.match(keys[0].public_key_pem, /BEGIN PUBLIC KEY/)
  assert.doesNotMatch(text, /PRIVATE/)
})

/** As it is written, without a client that tidies it up. */
const status = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: service.port, path, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end()
  })

const TRAVERSALS = [
  '..',
  '../LICENSE',
  '..%2fLICENSE',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c..%5cwindows%5cwin.ini',
  '....%2f%2fetc%2fpasswd',
  '%252e%252e%252fetc%252fpasswd',
  '/etc/passwd',
  '%2fetc%2fpasswd',
  'file:%2f%2f%2fetc%2fpasswd',
  'changelog%00',
  'changelog%00.json',
  'changelog/',
  'changelog%2f',
  'changelog%2f..%2flicense',
  './changelog',
  '%2e%2fchangelog',
  'CHANGELOG.md',
  'openapi.json',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '~root',
  '$HOME',
  '%00',
  '%20changelog',
  'Changelog',
  'x'.repeat(4000),
]
for (const key of TRAVERSALS)
  for (const query of ['', '?raw=1'])
    test(`${key.slice(0, 40)}${query} is no asset`, async () => {
      assert.equal(await status(`/api/orch/v1/assets/${key}${query}`), 404)
    })

test('a path that is no UTF-8, an overlong dot for one, is refused before any key is looked up', async () => {
  for (const key of ['%c0%ae%c0%ae%c0%afetc', '%zz', '%']) assert.equal(await status(`/api/orch/v1/assets/${key}`), 422)
})

test('raw is 0 or 1', async () => {
  for (const raw of ['2', '-1', 'yes', '', '1.5'])
    assert.equal((await send(`${P}/assets/license?raw=${raw}`)).status, 422)
  assert.equal((await send(`${P}/assets/license?raw=0`)).json.key, 'license')
})
