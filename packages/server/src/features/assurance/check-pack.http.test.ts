import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { canonicalBytes, importPublicKey, verifyPack } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'

const SCRIPT = fileURLToPath(new URL('../../../../../examples/check_pack.py', import.meta.url))
const hasPython = spawnSync('python3', ['-c', 'import hashlib; hashlib.sha3_256']).status === 0
const folder = freshFolder('check-pack')
after(() => rmSync(folder, { recursive: true, force: true }))

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
for (let i = 0; i < 5; i += 1)
  await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify({ i, text: 'Grüße \u2028' }))
const { json: envelope } = await send(`${service.url}/api/orch/v1/assurance/evidence-pack?receipts=4`)
const key = join(folder, 'cosign.pub')
writeFileSync(key, (await send(`${service.url}/cosign.pub`)).text)

// A key that is valid and nobody's: the base point of the curve.
const BASE_POINT = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
-----END PUBLIC KEY-----
`

function check(document: unknown, ...keys: string[]) {
  const file = join(folder, 'pack.json')
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  const { status, stdout } = spawnSync('python3', [SCRIPT, file, ...keys.flatMap((name) => ['--key', name])], {
    encoding: 'utf8',
  })
  return { status, stdout }
}

const linesWith = (text: string, part: string) => text.split('\n').filter((line) => line.includes(part)).length

test('the one-page Python check accepts a live pack under the published key, the pack and each receipt', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  const { status, stdout } = check(envelope, key)
  assert.equal(status, 0, stdout)
  assert.equal(linesWith(stdout, 'is included in the tree'), 4)
  assert.equal(linesWith(stdout, 'is signed by a given key'), 5)
  assert.doesNotMatch(stdout, /no key given/)
})

test('without a key the Python check says that no signature was checked and is no success', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  const { status, stdout } = check(envelope)
  assert.equal(status, 5, stdout)
  assert.match(stdout, /^NOT CHECKED signature: no key given$/m)
  assert.doesNotMatch(stdout, /is signed by|^FAIL/m)
  const copy = structuredClone(envelope)
  copy.pack.receipts[0].inclusion.hashes.pop()
  assert.equal(check(copy).status, 1, 'what contradicts is found all the same')
})

/** All that somebody without the key can make to fit, made to fit. */
function resealed(change: (copy: Envelope) => void): Envelope {
  const copy = structuredClone(envelope)
  change(copy)
  copy.pack_sha3_256 = createHash('sha3-256').update(canonicalBytes(copy.pack)).digest('hex')
  const statement = JSON.stringify({ orch_evidence_pack_sha3_256: copy.pack_sha3_256 })
  copy.signature.dsse.payload = Buffer.from(statement).toString('base64')
  return copy
}

test('a pack whose digests were all recomputed by somebody without the key passes only where no key is given', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  const forged = resealed((copy) => {
    copy.pack.assurance_matrix.requirements[7].status = 'LIVE'
  })
  assert.equal(check(forged).status, 5)
  const { status, stdout } = check(forged, key)
  assert.equal(status, 1)
  assert.match(stdout, /^FAIL the pack is signed by a given key$/m)
  assert.equal(linesWith(stdout, 'FAIL'), 1)
})

test('a receipt’s own signature is checked beside the pack’s', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  const forged = resealed((copy) => {
    const [first, second] = copy.pack.receipts
    first.dsse.signatures = second.dsse.signatures
  })
  const { status, stdout } = check(forged, key)
  assert.equal(status, 1)
  assert.match(stdout, /^FAIL receipt [0-9a-f]{12} is signed by a given key$/m)
})

type Envelope = typeof envelope
const tampered: [what: string, change: (copy: Envelope) => void][] = [
  [
    'another status in the matrix',
    (copy) => {
      copy.pack.assurance_matrix.requirements[7].status = 'LIVE'
    },
  ],
  [
    'another digest',
    (copy) => {
      copy.pack_sha3_256 = copy.pack_sha3_256.replace(/^./, (c: string) => (c === '0' ? '1' : '0'))
    },
  ],
  [
    'the statement of another pack',
    (copy) => {
      copy.signature.dsse.payload = Buffer.from('{"orch_evidence_pack_sha3_256":"00"}').toString('base64')
    },
  ],
  ['a shortened proof', (copy) => copy.pack.receipts[0].inclusion.hashes.pop()],
  [
    'a signature removed',
    (copy) => {
      copy.signature = { signed: false, status: 'DSSE_PLACEHOLDER', note: '' }
    },
  ],
]
for (const [what, change] of tampered)
  test(`the Python check refuses a pack with ${what}`, (t) => {
    if (!hasPython) return t.skip('SKIPPED: python3 absent')
    const copy = structuredClone(envelope)
    change(copy)
    const { status, stdout } = check(copy, key)
    assert.equal(status, 1, stdout)
    assert.match(stdout, /^FAIL /m)
  })

test('the Python check refuses every altered signature and every foreign key', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  const sig = Buffer.from(envelope.signature.dsse.signatures[0].sig, 'base64')
  for (const at of [0, 1, 3, 5, 20, sig.length - 1]) {
    const copy = structuredClone(envelope)
    copy.signature.dsse.signatures[0].sig = Buffer.from(sig.map((byte, i) => (i === at ? byte ^ 1 : byte))).toString(
      'base64',
    )
    assert.equal(check(copy, key).status, 1, `byte ${at}`)
  }
  const foreign = join(folder, 'foreign.pub')
  writeFileSync(foreign, BASE_POINT)
  assert.equal(check(envelope, foreign).status, 1)
})

test('what is no pack cannot be read and says so with its own exit code', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  for (const document of ['', '{}', '[]', '{"pack":{},"signature":{}}'])
    assert.equal(check(document).status, 2, document)
  assert.equal(check(envelope, SCRIPT).status, 2)
})

test('an unsigned simulated sample among the receipts spoils neither the pack nor IV-1; a stripped receipt does', async (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  const sampling = await startApp(t, { ORCH_STORE: 'memory', ORCH_SAMPLE_MODE: '1' }, [])
  await post(`${sampling.url}/api/orch/khipu/sign`, '{"a":1}')
  await send(`${sampling.url}/api/orch/v1/wow/ledger?advance=1`)
  const { json: pack } = await send(`${sampling.url}/api/orch/v1/assurance/evidence-pack?receipts=2`)
  assert.deepEqual(
    pack.pack.receipts.map(({ kind, signed }: { kind: string; signed: boolean }) => [kind, signed]),
    [
      ['sample', false],
      ['mint', true],
    ],
  )
  const pem = join(folder, 'sampling.pub')
  writeFileSync(pem, (await send(`${sampling.url}/cosign.pub`)).text)
  assert.equal(check(pack, pem).status, 0)
  const trust = { keys: [{ key: importPublicKey(readFileSync(pem, 'utf8'))!, kind: 'demo' as const }] }
  const signatureOf = async (value: unknown) =>
    (await verifyPack(value, trust)).checks.find((one) => one.check === 'signature')!
  const found = await signatureOf(pack)
  assert.deepEqual([found.status, found.details.unsigned_samples], ['VERIFIED', 1])
  const { json: matrix } = await send(`${sampling.url}/api/orch/v1/assurance/matrix`)
  const row = matrix.requirements.find(({ req_id }: { req_id: string }) => req_id === 'IV-1')
  assert.equal(row.status, 'LIVE', row.status_detail)
  const stripped = structuredClone(pack)
  Object.assign(stripped.pack.receipts[1].dsse, { signatures: [] })
  assert.notEqual((await signatureOf(stripped)).status, 'VERIFIED')
  assert.equal(check(stripped, pem).status, 1)
})
