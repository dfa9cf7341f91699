// The page as a reader has it: saved to disk, opened with the network off.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { base64urlEncode, headerLine, importPublicKey, type KeyKind, utf8Encode, verifyAny } from '@orch/core'
import { readReport, setReader, timeless, verifyFile, verifyText } from '@orch/server/testing/page-driver.ts'
import { verifyPage } from '@orch/server/testing/verify-page.ts'
import type { Page } from 'playwright-core'
import type { KeysFile } from '../../../../vectors/cases.ts'

const vector = (name: string): string => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')
const keys = JSON.parse(vector('keys.json')) as KeysFile
const golden = JSON.parse(vector('golden.json'))
const record = JSON.stringify(golden.record)
const ledger = vector('ledger.jsonl')
const production = keys.p256.production!.pem
const logKey = keys.ed25519.log!.vkey

const site = verifyPage('verify-page')
const { noBrowser } = site

/** Offline, with every request seen written down. */
async function open(t: TestContext, fragment = ''): Promise<{ page: Page; requests: string[] }> {
  const page = await site.blank(t)
  const requests: string[] = []
  page.context().on('request', (request) => requests.push(request.url()))
  await page.context().setOffline(true)
  await page.goto(site.address + fragment)
  return { page, requests }
}

const trust = (kind: KeyKind, logs: string[] = []) => ({
  keys: [{ key: importPublicKey(production)!, kind }],
  logKeys: logs,
})

test('3a: a golden receipt is judged exactly as the library judges it, and nothing but the file itself is requested', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page, requests } = await open(t)
  for (const kind of ['caller-supplied', 'production', 'demo'] as const) {
    await setReader(page, { keys: [{ pem: production, kind }], logKeys: [logKey] })
    const report = await verifyText(page, record)
    assert.deepEqual(timeless(report), timeless(await verifyAny(record, trust(kind, [logKey]))))
    assert.match(report.checked_at ?? '', /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  }
  assert.deepEqual(requests, [site.address])
})

test('3a: a whole ledger under a production key and its log key passes, and the page says so in words', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page, requests } = await open(t)
  await setReader(page, { keys: [{ pem: production, kind: 'production' }], logKeys: [logKey] })
  const report = await verifyFile(page, utf8Encode(ledger))
  assert.equal(report.verdict, 'PASS')
  assert.deepEqual(timeless(report), timeless(await verifyAny(ledger, trust('production', [logKey]))))
  assert.equal(await page.textContent('.verdict h3'), 'PASS')
  assert.match((await page.textContent('#recognised')) ?? '', /ledger export/)
  assert.match((await page.textContent('#announcement')) ?? '', /Verdict: PASS/)
  assert.deepEqual(requests, [site.address])
})

test('every kind of evidence is named', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  const kinds: [unknown, RegExp][] = [
    [golden.record, /receipt, from/],
    [golden.chain[0].envelope, /envelope/],
    [golden.export, /receipt export/],
    [golden.pack, /evidence pack/],
    [golden.statement_envelope, /chain-of-title statement/],
    [{ unheard: 'of' }, /unknown/],
  ]
  for (const [value, name] of kinds) {
    await verifyText(page, JSON.stringify(value))
    assert.match((await page.textContent('#recognised')) ?? '', name)
  }
})

test('a receipt carried in the address after the # is verified on arrival', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t, `#r=${base64urlEncode(utf8Encode(record))}`)
  const report = await readReport(page)
  assert.equal(report.subject?.digest, golden.record.digest)
  assert.equal(report.verdict, 'INCONCLUSIVE')
})

test('an address that carries nonsense ends in a report that says so', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t, '#r=%3Cimg%20src=x%3E')
  assert.equal((await readReport(page)).verdict, 'INCONCLUSIVE', 'no evidence accuses nobody')
})

test('nothing given is NO_INPUT, and clearing brings the empty page back', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  assert.equal((await verifyText(page, '')).verdict, 'NO_INPUT')
  await page.click('#clear')
  assert.match((await page.textContent('#report-body')) ?? '', /Nothing has been checked yet/)
})

test('a key that came with the file is used only after a click, counts as caller-supplied and goes with the file', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  const before = await verifyFile(page, utf8Encode(ledger))
  assert.equal(before.checks[1]!.status, 'UNAVAILABLE')
  await page.click('text=Use this key anyway')
  const used = await readReport(page)
  assert.equal(used.checks[1]!.status, 'VERIFIED')
  assert.equal(used.checks[5]!.status, 'UNAVAILABLE')
  assert.match(JSON.stringify(used.checks[5]!.details), /"kind":"caller-supplied"/)
  assert.match((await page.textContent('.verdict')) ?? '', /key_trust: caller-supplied/)
  assert.equal(await page.locator('#key-list select').count(), 0)
  const next = await verifyText(page, record)
  assert.equal(next.checks[1]!.status, 'UNAVAILABLE')
})

test('a demo key is called demo in words, whoever calls it so', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  const [, ...rest] = ledger.split('\n')
  const { schema: _, ...header } = JSON.parse(ledger.split('\n')[0]!)
  const demoCalled = headerLine({ ...header, keys: [{ ...header.keys[0], kind: 'demo' }] })
  await verifyFile(page, utf8Encode([demoCalled, ...rest].join('\n')))
  assert.match((await page.textContent('#key-offers')) ?? '', /calls it a demo key/)
  assert.match((await page.textContent('.verdict')) ?? '', /demo key/)
  await setReader(page, { keys: [{ pem: production, kind: 'demo' }] })
  await verifyText(page, JSON.stringify(golden.chain[0].envelope))
  assert.match((await page.textContent('.verdict')) ?? '', /Signed with a demo key.*never counts as production/)
})

test('what is no public key is refused with a reason, a private key with a warning', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  const refused: [string, RegExp][] = [
    ['', /Paste a key first/],
    ['hello', /neither a public key/],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', /private key/],
    [production.replace('MFkw', 'MFkx'), /not a P-256 public key/],
    [`${production}\n${logKey.replace('+', '-')}`, /neither a public key/],
    ['k'.repeat(70_000), /too long/],
  ]
  for (const [text, reason] of refused) {
    await page.fill('#key-text', text)
    await page.click('#key-add')
    assert.match((await page.textContent('#key-note')) ?? '', reason)
    assert.equal(await page.locator('#key-list li').count(), 0)
  }
})

test('the digest the reader was told and the demand for production keys are held against the receipt', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  const reader = { keys: [{ pem: production, kind: 'demo' as const }], requireProduction: true }
  await setReader(page, { ...reader, expectedDigest: '0'.repeat(64) })
  const report = await verifyText(page, JSON.stringify(golden.chain[0].envelope))
  assert.equal(report.checks[2]!.status, 'MISMATCH')
  assert.equal(report.checks[5]!.status, 'DEMO')
})

test('the saved file is the report in the library’s own shape', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  const shown = await verifyText(page, record)
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Save report as JSON')])
  assert.equal(download.suggestedFilename(), 'verification-report.json')
  assert.deepEqual(JSON.parse(readFileSync(await download.path(), 'utf8')), shown)
})

test('a dropped file and a pasted text are verified at once', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { page } = await open(t)
  const give = (type: 'drop' | 'paste', text: string) =>
    page.evaluate(
      ([kind, content]) => {
        const data = new DataTransfer()
        if (kind === 'drop') data.items.add(new File([content!], 'dropped.json'))
        else data.setData('text/plain', content!)
        const event =
          kind === 'drop'
            ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
            : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
        document.querySelector('#evidence')!.dispatchEvent(event)
      },
      [type, text] as const,
    )
  await give('drop', record)
  assert.equal((await readReport(page)).subject?.digest, golden.record.digest)
  assert.match((await page.textContent('#recognised')) ?? '', /dropped\.json/)
  // Too long to be shown in the box: taken as it is on the clipboard.
  await give('paste', ' '.repeat(300_000) + JSON.stringify(golden.pack))
  assert.equal((await readReport(page)).kind, 'pack')
  assert.equal(await page.inputValue('#evidence'), '')
})
