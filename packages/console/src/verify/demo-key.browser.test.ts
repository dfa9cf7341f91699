// One answer for a demo key that a reader took for a production key, whatever the file and whoever judges it.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { headerLine, headline, type VerificationReport } from '@orch/core'
import { setReader, verifyFile } from '@orch/server/testing/page-driver.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { post, send } from '@orch/server/testing/raw-http.ts'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { verifyPage } from '@orch/server/testing/verify-page.ts'
import { type Case, inputOf, type KeysFile } from '../../../../vectors/cases.ts'
import { runOrch } from '../../../cli/src/testing/run-orch.ts'

const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'))
const keys: KeysFile = vector('keys.json')
const cases: Case[] = vector('cases.json')
const demo = keys.p256.demo!.pem
const logKey = keys.ed25519.log!.vkey

/** Each as it is served, and with every word about the key taken off that no signature covers. */
const FORMS = ['', ' stripped of its words']
const KINDS = ['receipt', 'envelope', 'export', 'pack', 'ledger'].flatMap((kind) => FORMS.map((form) => kind + form))
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
    const receipt = kind.startsWith('ledger') ? text : JSON.parse(text)
    const { json } = await post(`${service.url}/api/orch/v1/verify/receipt`, JSON.stringify({ receipt }))
    assert.deepEqual(said(json), ANSWER)
  })
}

/** What a receipt of the service says of its key without a signature. */
function withoutWords({ key_kind: _, ...receipt }: Fields & { dsse: Fields }): Fields {
  const { honesty: __, _dsse, _pae_sha256, key_kind: ___, ...dsse } = receipt.dsse as Fields
  return { ...receipt, dsse }
}
type Fields = Record<string, unknown>

test('a saved reply, its envelope, the pack and the ledger of the running service, all words taken off: DEMO and never enough', async (t) => {
  const own = join(home, 'own')
  mkdirSync(own)
  const path = `${service.url}/api/orch/v1/wow/govern?envelope=1`
  const { json: reply } = await post(path, '{"text":"What is the capital of France?"}')
  const lines = (await send(`${service.url}/api/orch/v1/ledger/export`)).text.split('\n')
  const { keys: _, ...header } = JSON.parse(lines[0]!)
  const { json: pack } = await send(`${service.url}/api/orch/v1/assurance/evidence-pack?receipts=1`)
  const files = {
    'pack.json': JSON.stringify({ ...pack, signature: { ...pack.signature, key_kind: null } }),
    'reply.json': JSON.stringify({ ...reply, receipt: withoutWords(reply.receipt) }),
    'receipt.json': JSON.stringify(withoutWords(reply.receipt)),
    'envelope.json': JSON.stringify(withoutWords(reply.receipt).dsse),
    'ledger.jsonl': [headerLine({ ...header, keys: [] }), ...lines.slice(1)].join('\n'),
  }
  const signing = (await send(`${service.url}/cosign.pub`)).text
  const log = (await send(`${service.url}/log/key`)).text.trim()
  writeFileSync(join(own, 'signing.pub'), signing)
  writeFileSync(join(own, 'log.vkey'), `${log}\n`)
  assert.equal((await runOrch(['keys', 'pin', 'signing.pub', '--kind', 'production'], { home: own })).code, 0)
  assert.equal((await runOrch(['keys', 'pin', 'log.vkey'], { home: own })).code, 0)
  const page = site.noBrowser ? null : await site.blank(t)
  await page?.goto(site.address)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(own, name), text)
    const { code, stdout } = await runOrch(['verify', '--json', '--strict', '--require-production', name], {
      home: own,
    })
    assert.deepEqual([code, said(JSON.parse(stdout))], [5, ANSWER], name)
    const given = name === 'ledger.jsonl' ? text : JSON.parse(text)
    const { json } = await post(`${service.url}/api/orch/v1/verify/receipt`, JSON.stringify({ receipt: given }))
    assert.deepEqual(said(json), ANSWER, name)
    if (page === null) continue
    await setReader(page, { keys: [{ pem: signing, kind: 'production' }], logKeys: [log], requireProduction: true })
    assert.deepEqual(said(await verifyFile(page, new TextEncoder().encode(text))), ANSWER, name)
  }
})
