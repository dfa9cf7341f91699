import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { base64Encode, sha256Hex } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { localRekor } from '#testing/rekor/local-rekor.ts'

const rekor = await localRekor()
after(() => rekor.close())
const service = await startApp(
  { after },
  { ORCH_STORE: 'memory', ORCH_REKOR_URL: rekor.url, ORCH_REKOR_PUBLIC_KEY: rekor.publicKeyPem },
  [],
)
const P = `${service.url}/api/orch/v1`
const anchor = async () => (await post(`${P}/log/anchor`)).json
const verify = async (query = '') => (await send(`${P}/attest/verify${query}`)).json
const mint = () => post(`${service.url}/api/orch/khipu/sign`, '{"a":1}')

beforeEach(() => {
  rekor.bend((reply) => reply)
  rekor.answer(null)
})

test('before anything is anchored the reading says so and asks nobody', async () => {
  rekor.answer(() => assert.fail('the log was asked'))
  const { transparency, label, verdict } = await verify()
  assert.deepEqual([transparency.status, label, verdict], ['NOT_ATTEMPTED', 'MODELED', 'PASSED'])
})

test('an empty ledger has nothing to anchor', async () => {
  const { rekor: found } = await anchor()
  assert.deepEqual([found.status, rekor.submitted()], ['NOT_ATTEMPTED', 0])
})

test('an anchored checkpoint comes back with a proof that is verified, and leaves a receipt', async () => {
  await mint()
  const answer = await anchor()
  assert.deepEqual([answer.rekor.status, answer.label, answer.rekor.log_index], ['INCLUDED', 'MEASURED', 1005])
  assert.equal(answer.receipt.chain, 'log')
  assert.equal(rekor.submitted(), 1)
})

test('reading the anchor back gives MEASURED and submits nothing', async () => {
  const before = rekor.submitted()
  const found = await verify('?require_transparency=1')
  assert.deepEqual([found.verdict, found.label, found.transparency.status], ['PASSED', 'MEASURED', 'INCLUDED'])
  const { json: record } = await send(`${P}/attest/manifest`)
  assert.deepEqual(
    [record.label, record.rekor.label, record.statement.predicate.attestation.label],
    Array(3).fill('MEASURED'),
  )
  assert.equal(record.statement.predicate.honesty_invariants.no_fabricated_measured, true)
  assert.equal(rekor.submitted(), before)
})

test('a receipt below the anchored checkpoint says so under its second head', async () => {
  const { json } = await mint()
  const { json: fresh } = await send(`${P}/attest/${json.digest}`)
  assert.match(fresh.factors[1].detail, /external log UNAVAILABLE/)
  await anchor()
  const { json: covered } = await send(`${P}/attest/${json.digest}`)
  assert.match(covered.factors[1].detail, /external log INCLUDED/)
})

const only = (reply: Record<string, never>) => Object.entries(reply)[0] as [string, Record<string, never>]
// biome-ignore lint/suspicious/noExplicitAny: the tests damage the reply in every place
const bent = (change: (entry: any) => void) => (reply: any) => {
  const copy = structuredClone(reply)
  change(only(copy)[1])
  return copy
}
const hex = (text: string): string => (text.startsWith('0') ? `1${text.slice(1)}` : `0${text.slice(1)}`)
const foreignBody = base64Encode(new TextEncoder().encode('{"apiVersion":"0.0.1","kind":"dsse","spec":{}}'))

// biome-ignore lint/suspicious/noExplicitAny: as above
const hostile: [what: string, change: (reply: any) => any][] = [
  [
    'another root',
    bent((e) => {
      e.verification.inclusionProof.rootHash = hex(e.verification.inclusionProof.rootHash)
    }),
  ],
  [
    'another hash in the path',
    bent((e) => {
      e.verification.inclusionProof.hashes[0] = hex(e.verification.inclusionProof.hashes[0])
    }),
  ],
  ['a truncated path', bent((e) => e.verification.inclusionProof.hashes.pop())],
  ['a path that is too long', bent((e) => e.verification.inclusionProof.hashes.push('0'.repeat(64)))],
  [
    'an endless path',
    bent((e) => {
      e.verification.inclusionProof.hashes = Array(500).fill('0'.repeat(64))
    }),
  ],
  [
    'another index',
    bent((e) => {
      e.verification.inclusionProof.logIndex -= 1
    }),
  ],
  [
    'a negative size',
    bent((e) => {
      e.verification.inclusionProof.treeSize = -1
    }),
  ],
  [
    'another size',
    bent((e) => {
      e.verification.inclusionProof.treeSize += 1
    }),
  ],
  [
    'no proof',
    bent((e) => {
      delete e.verification.inclusionProof
    }),
  ],
  [
    'no verification',
    bent((e) => {
      delete e.verification
    }),
  ],
  [
    'a tree head of another origin line',
    bent((e) => {
      e.verification.inclusionProof.checkpoint = e.verification.inclusionProof.checkpoint.replace(
        'rekor.local -',
        'rekor.other -',
      )
    }),
  ],
  [
    'a tree head without a signature',
    bent((e) => {
      e.verification.inclusionProof.checkpoint = e.verification.inclusionProof.checkpoint.split('\n\n')[0]
    }),
  ],
  [
    'a tree head signed by a stranger',
    bent((e) => {
      e.verification.inclusionProof.checkpoint = e.verification.inclusionProof.checkpoint.replace(
        /local [A-Za-z0-9+/]{5}/,
        'local AAAAA',
      )
    }),
  ],
  [
    'a second signature of the tree head under the pinned key, a bad one',
    bent((e) => {
      e.verification.inclusionProof.checkpoint += e.verification.inclusionProof.checkpoint
        .split('\n\n')[1]
        .replace(/.{8}\n$/, 'AAAAAAA=\n')
    }),
  ],
  [
    'no signed timestamp',
    bent((e) => {
      delete e.verification.signedEntryTimestamp
    }),
  ],
  [
    'a time that no calendar has',
    bent((e) => {
      e.integratedTime = Number.MAX_SAFE_INTEGER
    }),
  ],
  [
    'a wrong signed timestamp',
    bent((e) => {
      e.integratedTime += 1
    }),
  ],
  [
    'a signed timestamp that is no signature',
    bent((e) => {
      e.verification.signedEntryTimestamp = 'no base64!'
    }),
  ],
  [
    'another log id',
    bent((e) => {
      e.logID = hex(e.logID)
    }),
  ],
  [
    'another log index',
    bent((e) => {
      e.logIndex += 1
    }),
  ],
  [
    'another body',
    bent((e) => {
      e.body = foreignBody
    }),
  ],
  [
    'a body that is no base64',
    bent((e) => {
      e.body = '%%%'
    }),
  ],
  ['another uuid', (reply) => ({ [hex(only(reply)[0])]: only(reply)[1] })],
  ['the uuid of another leaf', (reply) => ({ [`${only(reply)[0].slice(0, 16)}${'ab'.repeat(32)}`]: only(reply)[1] })],
  ['two entries', (reply) => ({ ...reply, ['ab'.repeat(32)]: only(reply)[1] })],
  ['no entry', () => ({})],
  ['a list', (reply) => [reply]],
  ['null', () => null],
]
for (const [what, change] of hostile)
  test(`a reply with ${what} is ${what === 'another uuid' ? 'believed for its leaf alone' : 'INVALID and never MEASURED'}`, async () => {
    rekor.bend(change)
    const found = await verify()
    // The digits before the leaf hash number the tree; nothing is bound to them and nothing is concluded from them.
    if (what === 'another uuid') return assert.equal(found.transparency.status, 'INCLUDED')
    assert.deepEqual([found.transparency.status, found.label, found.verdict], ['INVALID', 'MODELED', 'FAILED'])
    assert.equal(found.transparency.inclusion_proof, null)
    assert.equal((await anchor()).rekor.status, 'INVALID')
  })

const silent: [what: string, code: string, handler: Parameters<typeof rekor.answer>[0]][] = [
  [
    'a huge body',
    'RESPONSE_TOO_LARGE',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(300_000)}"`),
  ],
  [
    'an error',
    'UPSTREAM_HTTP_500',
    (response) => response.writeHead(500, { 'content-type': 'application/json' }).end('{}'),
  ],
  ['a redirect', 'UPSTREAM_HTTP_302', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['a page', 'NON_JSON_RESPONSE', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  [
    'compressed bytes',
    'ENCODED_RESPONSE_DENIED',
    (response) => response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x'),
  ],
  [
    'JSON that ends early',
    'INVALID_JSON',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
  ],
  ['a closed connection', 'TRANSPORT_UNAVAILABLE', (response) => response.destroy()],
]
for (const [what, code, handler] of silent)
  test(`a log that answers with ${what} is UNREACHABLE, and that is 200`, async () => {
    rekor.answer(handler)
    const { transparency, label, verdict } = await verify()
    assert.deepEqual([transparency.status, label, verdict], ['UNREACHABLE', 'MODELED', 'PASSED'])
    assert.match(transparency.note, new RegExp(code))
    assert.equal((await verify('?require_transparency=1')).verdict, 'UNKNOWN')
  })

test('a log that never finishes its answer is given up at the deadline', async () => {
  rekor.answer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{')
  })
  const { transparency } = await verify()
  assert.match(transparency.note, /RESPONSE_DEADLINE/)
})

test('a ledger that is no continuation of what was anchored is INVALID', async (t) => {
  // A service of its own: its other checks see the changed tree too, and stop it.
  const other = await startApp(
    t,
    { ORCH_STORE: 'memory', ORCH_REKOR_URL: rekor.url, ORCH_REKOR_PUBLIC_KEY: rekor.publicKeyPem },
    [],
  )
  const reading = await other.app.ports.anchoring.read(AbortSignal.timeout(5_000))
  assert.equal(reading.status, 'NOT_ATTEMPTED')
  await post(`${other.url}/api/orch/khipu/sign`, '{"a":1}')
  const anchored = await post(`${other.url}/api/orch/v1/log/anchor`)
  assert.equal(anchored.status, 200, anchored.text)
  t.mock.method(other.app.ports.ledger, 'rootAt', async () => new Uint8Array(32))
  const { transparency } = (await send(`${other.url}/api/orch/v1/attest/verify`)).json
  assert.equal(transparency.status, 'INVALID')
  assert.match(transparency.note, /no continuation/)
})

test('the pinned key decides: another log that proves everything under its own key proves nothing', async (t) => {
  const unknownPem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    type: 'spki',
    format: 'pem',
  })
  const env = { ORCH_STORE: 'memory', ORCH_REKOR_URL: rekor.url, ORCH_REKOR_PUBLIC_KEY: unknownPem.toString() }
  const other = await startApp(t, env, [])
  await post(`${other.url}/api/orch/khipu/sign`, '{"a":1}')
  const { json } = await post(`${other.url}/api/orch/v1/log/anchor`)
  assert.deepEqual([json.rekor.status, json.label], ['INVALID', 'MODELED'])
  assert.match(json.rekor.note, /another log than the pinned one/)
})

test('without a configured log anchoring is refused by name and nothing is recorded', async (t) => {
  const plain = await startApp(t, { ORCH_STORE: 'memory' }, [])
  const answer = await post(`${plain.url}/api/orch/v1/log/anchor`)
  assert.deepEqual([answer.status, answer.json.error.code], [409, 'anchoring_not_configured'])
  assert.equal(plain.app.ports.ledger.state().size, 0)
})

test('an Idempotency-Key anchors once', async () => {
  const before = rekor.submitted()
  const key = { 'idempotency-key': 'anchor-once' }
  const [first, again] = [await post(`${P}/log/anchor`, '{}', key), await post(`${P}/log/anchor`, '{}', key)]
  assert.equal(first.text, again.text)
  assert.equal(rekor.submitted(), before + 1)
})

test('a registry credential needs the scope log:anchor', async (t) => {
  const folder = freshFolder('anchor')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'credentials.json')
  const entry = { key_id: 'k', namespace: 'public', owner_id: 'o', token_sha256: sha256Hex('secret'), role: 'user' }
  writeFileSync(file, JSON.stringify({ credentials: [entry] }), { mode: 0o600 })
  const guarded = await startApp(t, { ORCH_STORE: 'memory', ORCH_CREDENTIALS: file }, [])
  const answer = await post(`${guarded.url}/api/orch/v1/log/anchor`, '{}', { authorization: 'Bearer secret' })
  assert.deepEqual([answer.status, answer.json.error.code], [403, 'missing_scopes'])
})
