// One answer for a demo key that a reader took for a production key, whatever the file and whoever judges it.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { headline, type VerificationReport } from '@orch/core'
import { freshFolder } from '../../../../scripts/testing/private-folder.ts'
import { post } from '../../../../scripts/testing/raw-http.ts'
import { type Service, startService } from '../../../../scripts/testing/service.ts'
import { verifyPage } from '../../../../scripts/testing/verify-page.ts'
import { type Case, inputOf, type KeysFile } from '../../../../vectors/cases.ts'
import { runOrch } from '../../../cli/src/testing/run-orch.ts'
import { setReader, verifyFile } from '../../page-driver.ts'

const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'))
const keys: KeysFile = vector('keys.json')
const cases: Case[] = vector('cases.json')
const demo = keys.p256.demo!.pem
const logKey = keys.ed25519.log!.vkey

const KINDS = ['receipt', 'envelope', 'export', 'pack', 'ledger'] as const
const fileOf = (kind: string): string => {
  const value = inputOf(cases.find(({ name }) => name === `a demo ${kind}, the key pinned as production`)!)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const home = freshFolder('demo-key')
const site = verifyPage('demo-key-page')
let service: Service

before(async () => {
  writeFileSync(join(home, 'demo.pub'), demo)
  writeFileSync(join(home, 'log.vkey'), `${logKey}\n`)
  for (const kind of KINDS) writeFileSync(join(home, `${kind}.json`), fileOf(kind))
  assert.equal((await runOrch(['keys', 'pin', 'demo.pub', '--kind', 'production'], { home })).code, 0)
  service = await startService({ env: { ORCH_TRUSTED_KEYS: join(home, 'demo.pub') } })
})
after(async () => {
  await service?.close()
  rmSync(home, { recursive: true, force: true })
})

const said = ({ verdict, checks }: VerificationReport) => ({
  verdict,
  key_trust: checks.find(({ check }) => check === 'key_trust')?.status,
})
const ANSWER = { verdict: 'PARTIAL', key_trust: 'DEMO' }

for (const kind of KINDS) {
  test(`command line: a demo ${kind} pinned as production is PARTIAL and DEMO, and not enough where production is required`, async () => {
    const lenient = await runOrch(['verify', '--json', `${kind}.json`], { home })
    const strict = await runOrch(['verify', '--json', '--require-production', `${kind}.json`], { home })
    assert.deepEqual([lenient.code, said(JSON.parse(lenient.stdout))], [0, ANSWER])
    assert.deepEqual([strict.code, said(JSON.parse(strict.stdout))], [5, ANSWER])
  })

  test(`page: a demo ${kind} pinned as production is PARTIAL and DEMO, in the words of the command line`, async (t) => {
    if (site.noBrowser) return t.skip(site.noBrowser)
    const page = await site.blank(t)
    await page.goto(site.address)
    for (const requireProduction of [false, true]) {
      await setReader(page, { keys: [{ pem: demo, kind: 'production' }], logKeys: [logKey], requireProduction })
      const report = await verifyFile(page, new TextEncoder().encode(fileOf(kind)))
      assert.deepEqual(said(report), ANSWER)
      const sentence = headline(report)
      const lead = (await page.textContent('.verdict .lead')) ?? ''
      assert.equal(lead, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`)
    }
  })

  test(`service: a demo ${kind} trusted as production is PARTIAL and DEMO`, async () => {
    const text = fileOf(kind)
    const receipt = kind === 'ledger' ? text : JSON.parse(text)
    const { json } = await post(`${service.url}/api/orch/v1/verify/receipt`, JSON.stringify({ receipt }))
    assert.deepEqual(said(json), ANSWER)
  })
}
