// A ledger of a thousand receipts attacked line by line in the page: its own form, its own bundled verifier.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { utf8Encode } from '@orch/core'
import { LINE_ATTACKS, rehashedForward } from '@orch/server/testing/export-tampering.ts'
import { setReader, verifyFile } from '@orch/server/testing/page-driver.ts'
import {
  attackItsVerifier,
  attackThroughForm,
  everyPosition,
  SIZE,
  signedLedger,
} from '@orch/server/testing/page-tampering.ts'
import { verifyPage } from '@orch/server/testing/verify-page.ts'
import type { Page } from 'playwright-core'
import { production } from '../../../../vectors/source/keys.ts'

const site = verifyPage('verify-tamper')
const { noBrowser } = site

async function open(t: TestContext): Promise<Page> {
  const page = await site.open(t)
  await setReader(page, { keys: [{ pem: production.pem, kind: 'production' }] })
  return page
}

for (const name of Object.keys(LINE_ATTACKS))
  test(`3c: ${name} at each of 1,000 positions is named with its exact line and index by the verifier in the page`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const positions = everyPosition(name)
    assert.equal(await attackItsVerifier(await site.open(t), name, positions), name === 'swap' ? SIZE - 1 : SIZE)
  })

// Through the form a file takes about a tenth of a second: here a share of the positions, in the soak all of them.
const SHARE = 25

for (const name of Object.keys(LINE_ATTACKS))
  test(`3c: ${name} at ${SHARE} of 1,000 positions is named in words by the form of the page`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const positions = everyPosition(name).filter((at) => at % (SIZE / SHARE) === 0)
    const last = everyPosition(name).at(-1)!
    await attackThroughForm(await open(t), name, [...positions, last])
  })

test('3c: a signed ledger, edited or hashed forward without the key, fails on the page where it was changed', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  const signed = signedLedger()
  const judge = (file: readonly string[]) => verifyFile(page, utf8Encode(`${file.join('\n')}\n`))
  assert.equal((await judge(signed)).verdict, 'PARTIAL')
  const [header, footer] = [signed[0]!, signed.at(-1)!]
  const attacked = Object.values(LINE_ATTACKS).map((attack, iteration) => {
    const { tampered, brokenAt } = attack(signed.slice(1, -1), iteration * 190 + 13)
    return { file: [header, ...tampered, footer], brokenAt }
  })
  const forged = [0, 256, 700, 999].map((from) => ({
    file: rehashedForward(signed, from),
    brokenAt: from,
  }))
  for (const { file, brokenAt } of [...attacked, ...forged]) {
    const { verdict, subject } = await judge(file)
    const bad = subject?.first_bad as { node_index: number; line: number }
    assert.deepEqual([verdict, bad.node_index, bad.line], ['FAIL', brokenAt, brokenAt + 2])
  }
})
