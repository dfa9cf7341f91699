import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { derToRaw } from './encoding.ts'
import type { PublicKey } from './p256.ts'
import { importPublicKey, isSignatureInRange, p256Engines, verifyP256, verifyP256Raw, verifyP256Sync } from './p256.ts'

type Case = { tcId: number; comment: string; msg: string; sig: string; result: 'valid' | 'invalid' | 'acceptable' }
type Group = { publicKeyPem: string; publicKeyDer: string; tests: Case[] }
type Verify = (key: PublicKey, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>

const folder = new URL('../../../../shared/vectors/wycheproof/', import.meta.url)
const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const groupsOf = (file: string): Group[] => JSON.parse(readFileSync(new URL(file, folder), 'utf8')).testGroups

/** Runs every case; `acceptable` marks signatures that only a lenient reader takes, so it counts as invalid here. */
async function run(groups: Group[], verify: Verify): Promise<{ ran: number; accepted: number }> {
  let ran = 0
  let accepted = 0
  for (const group of groups) {
    const key = importPublicKey(group.publicKeyPem)
    assert.ok(key)
    assert.deepEqual(key, importPublicKey(unhex(group.publicKeyDer)))
    for (const { tcId, comment, msg, sig, result } of group.tests) {
      const verdict = await verify(key, unhex(msg), unhex(sig))
      assert.equal(verdict, result === 'valid', `case ${tcId}: ${comment}`)
      ran++
      if (verdict) accepted++
    }
  }
  return { ran, accepted }
}

const { pure, native, webCrypto } = p256Engines
assert.ok(native && webCrypto, 'this Node offers all three engines')

const behindTheParse =
  (engine: Verify, parse: (signature: Uint8Array) => Uint8Array | null): Verify =>
  (key, message, signature) => {
    const raw = parse(signature)
    return raw !== null && isSignatureInRange(raw) && engine(key, message, raw)
  }

for (const [name, engine] of Object.entries({ pure, native, webCrypto })) {
  test(`all 484 DER cases of Wycheproof hold on the ${name} engine`, async (t) => {
    if (!existsSync(folder)) return t.skip('SKIPPED: ../shared absent')
    const outcome = await run(groupsOf('ecdsa_secp256r1_sha256_test.json'), behindTheParse(engine, derToRaw))
    t.diagnostic(`${name} DER: ${outcome.ran} run, ${outcome.accepted} accepted`)
    assert.deepEqual(outcome, { ran: 484, accepted: 174 })
  })

  test(`all 262 P1363 cases of Wycheproof hold on the ${name} engine`, async (t) => {
    if (!existsSync(folder)) return t.skip('SKIPPED: ../shared absent')
    const parse = (signature: Uint8Array) => signature
    const outcome = await run(groupsOf('ecdsa_secp256r1_sha256_p1363_test.json'), behindTheParse(engine, parse))
    t.diagnostic(`${name} P1363: ${outcome.ran} run, ${outcome.accepted} accepted`)
    assert.deepEqual(outcome, { ran: 262, accepted: 173 })
  })
}

test('the exported functions answer as the engines do', async (t) => {
  if (!existsSync(folder)) return t.skip('SKIPPED: ../shared absent')
  const der = groupsOf('ecdsa_secp256r1_sha256_test.json')
  assert.deepEqual(await run(der, verifyP256), { ran: 484, accepted: 174 })
  assert.deepEqual(await run(der, verifyP256Sync), { ran: 484, accepted: 174 })
  const raw = groupsOf('ecdsa_secp256r1_sha256_p1363_test.json')
  assert.deepEqual(await run(raw, verifyP256Raw), { ran: 262, accepted: 173 })
})
