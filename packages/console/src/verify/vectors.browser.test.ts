// The committed cases, put in through the form: the page says what the library says.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { importPublicKey, utf8Encode, verifyAny } from '@orch/core'
import { setReader, timeless, verifyFile, verifyText } from '@orch/server/testing/page-driver.ts'
import { verifyPage } from '@orch/server/testing/verify-page.ts'
import { type Case, differences, type KeysFile, trustOf } from '../../../../vectors/cases.ts'

const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'))
const keys = vector('keys.json') as KeysFile
const cases = vector('cases.json') as Case[]

const site = verifyPage('verify-vectors')
const { noBrowser } = site

/** What the form cannot say: a ledger at hand that was walked, and the validity of a key. */
function readerOf({ trust }: Case) {
  const { chain, ...rest } = trust
  const isWhole = chain === undefined && trust.keys.every(({ from, to }) => !from && !to)
  return { isWhole, trust: { ...rest, keys: trust.keys.map(({ name, kind }) => ({ name, kind })) } }
}

test('3c: every committed case gives on the page, check for check, what the library gives', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await site.open(t)
  let asExpected = 0
  for (const one of cases) {
    const { isWhole, trust } = readerOf(one)
    await setReader(page, {
      keys: trust.keys.map(({ name, kind }) => ({ kind, pem: keys.p256[name]!.pem })),
      logKeys: trust.log ? [keys.ed25519.log!.vkey] : [],
      ...(trust.expected_digest && { expectedDigest: trust.expected_digest }),
      ...(trust.require_production && { requireProduction: true }),
    })
    const text = one.text ?? JSON.stringify(one.input) ?? ''
    // Files keep every byte; a text box would mend line ends.
    const isFile = one.text !== undefined && text.isWellFormed()
    const report = isFile ? await verifyFile(page, utf8Encode(text)) : await verifyText(page, text)
    const library = await verifyAny(text, trustOf(keys, { ...one, trust }))
    assert.deepEqual(timeless(report), timeless(library), one.name)
    const shown = await page.$$eval('.checks > li', (items) => items.map((item) => item.className))
    assert.deepEqual(
      shown,
      library.checks.map(({ status }) => status),
    )
    if (!isWhole) continue
    assert.deepEqual(differences(one, report), [], one.name)
    asExpected += 1
  }
  t.diagnostic(`${cases.length} cases the same as the library, ${asExpected} of them as committed`)
  assert.ok(asExpected > 120)
})

type Wycheproof = { testGroups: { publicKeyPem: string; tests: { tcId: number; sig: string }[] }[] }
const wycheproof = new URL('../../../../../shared/vectors/wycheproof/ecdsa_secp256r1_sha256_test.json', import.meta.url)

// The vectors sign arbitrary bytes and this page reads receipts, so none of them can verify here: what is shown is that
// none does over a genuine receipt and that each ends in a report. That the valid ones verify over their own message is
// shown by the test of the library.
test('60 signatures of Wycheproof, each with its key, over a genuine receipt: a report each, none verified', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  if (!existsSync(wycheproof)) return t.skip('SKIPPED: ../shared absent')
  const { testGroups } = JSON.parse(readFileSync(wycheproof, 'utf8')) as Wycheproof
  const all = testGroups.flatMap(({ publicKeyPem, tests }) => tests.map((one) => ({ ...one, pem: publicKeyPem })))
  const { payloadType, payload } = vector('golden.json').record.dsse
  const page = await site.open(t)
  for (let at = 0; at < 60; at += 1) {
    const { tcId, sig, pem } = all[at * 8]!
    await setReader(page, { keys: [{ pem, kind: 'production' }] })
    const signatures = [{ sig: Buffer.from(sig, 'hex').toString('base64'), keyid: importPublicKey(pem)!.keyid }]
    const { checks, verdict } = await verifyText(page, JSON.stringify({ payloadType, payload, signatures }))
    assert.equal(verdict, 'FAIL', `case ${tcId}`)
    assert.notEqual(checks.find(({ check }) => check === 'signature')?.status, 'VERIFIED', `case ${tcId}`)
  }
})
