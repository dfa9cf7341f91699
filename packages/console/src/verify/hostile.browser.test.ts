// Input made to hurt: every one ends in a report, no script of it runs, and the page answers all the while.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { base64Encode, utf8Encode } from '@orch/core'
import { setReader, verifyFile, verifyText } from '@orch/server/testing/page-driver.ts'
import { verifyPage } from '@orch/server/testing/verify-page.ts'
import type { Page } from 'playwright-core'
import type { KeysFile } from '../../../../vectors/cases.ts'
import { exportLines, place } from '../../../../vectors/source/ledger.ts'

const vector = (name: string): string => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')
const keys = JSON.parse(vector('keys.json')) as KeysFile
const golden = JSON.parse(vector('golden.json'))
const ledger = vector('ledger.jsonl')
const [header] = ledger.split('\n')
const MB = 1024 * 1024

const site = verifyPage('verify-hostile')
const { noBrowser, folder } = site

const HTML = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script><svg onload=window.pwned=1>'
const withHtml = (value: unknown): unknown => {
  if (typeof value === 'string') return value + HTML
  if (Array.isArray(value)) return value.map(withHtml)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withHtml(one)]))
}
const swapped = {
  ...golden.record.dsse,
  signatures: [{ ...golden.record.dsse.signatures[0], keyid: keys.p256.stranger!.keyid }],
}
const text = JSON.stringify

/** Given as files, so that every byte arrives. A string is its UTF-8. */
const FILES: Record<string, () => string | Uint8Array> = {
  '10 MB of brackets': () => '['.repeat(10 * MB),
  '10 MB of objects in objects': () => '{"a":'.repeat(2 * MB),
  '64 MB of one letter': () => 'a'.repeat(64 * MB),
  'more than 64 MB': () => 'a'.repeat(64 * MB + 1),
  '20 MB of values': () => `[${'1,'.repeat(10 * MB)}1]`,
  'a quarter of a million keys': () => `{${Array.from({ length: 120_000 }, (_, at) => `"k${at}":[]`).join()}}`,
  'a payload of 20 MB': () => text({ ...golden.record.dsse, payload: base64Encode(new Uint8Array(14 * MB)) }),
  'duplicate keys': () => text(golden.record.dsse).replace('{', '{"payloadType":"x",'),
  'a lone surrogate, escaped': () => text({ ...golden.record, label: '\ud800' }),
  'bytes that are no UTF-8': () => Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d),
  'a byte order mark': () => `\ufeff${text(golden.record)}`,
  'HTML in every string of a receipt': () => text(withHtml(golden.record)),
  'HTML in every string of a pack': () => text(withHtml(golden.pack)),
  'HTML in every string of a statement': () => text(withHtml(golden.statement_record)),
  'HTML as names of fields': () => text({ ...golden.record, [HTML]: HTML }),
  'HTML in the chain of a signed-looking body': () =>
    text({
      ...golden.record.dsse,
      payload: Buffer.from(text(withHtml(JSON.parse(golden.chain[0].body_text)))).toString('base64'),
    }),
  'wrong base64': () => text({ ...golden.record.dsse, payload: `${golden.record.dsse.payload}!` }),
  'base64 of the other alphabet': () => text({ ...golden.record.dsse, payload: '__--' }),
  'a swapped key': () => text(swapped),
  'names of the prototype': () =>
    `{"__proto__":{"schema":"orch.receipt/v1"},"constructor":1,"dsse":{"__proto__":null}}`,
  'numbers out of range': () => '{"schema":"orch.receipt/v1","seq":1e400}',
  'a ledger header and then 60 MB of nothing': () => `${header}\n${'\n'.repeat(4 * MB)}${' '.repeat(56 * MB)}`,
  'a ledger whose second line holds millions of values': () => `${header}\n[${'1,'.repeat(10 * MB)}1]`,
  'a ledger whose second line is 50 MB long': () => `${header}\n${'x'.repeat(50 * MB)}`,
  'a ledger cut in the middle of a letter': () => utf8Encode(`${header}\n"ü`).slice(0, -1),
  'characters that turn text round': () => text({ ...golden.record, verify_url: '\u202egnp.exe\u0000\u2066' }),
}

test('3d: each of the hostile files ends in a report; none runs a script or is read faster than the page takes turns', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  assert.ok(Object.keys(FILES).length >= 20)
  for (const [name, make] of Object.entries(FILES)) {
    const file = join(folder, 'hostile')
    writeFileSync(file, make())
    await startTurns(page)
    const report = await verifyFile(page, file)
    const { turns, maxBytes } = await turnsTaken(page)
    t.diagnostic(
      `${name}: ${report.verdict}, ${turns} turns, at most ${maxBytes} bytes in one, ${report.checks[0]!.reason.slice(0, 70)}`,
    )
    assert.ok(
      report.verdict === 'FAIL' || report.verdict === 'INCONCLUSIVE' || name === 'characters that turn text round',
      name,
    )
    assert.ok(maxBytes <= MAX_BYTES_IN_A_TURN, `${name}: ${maxBytes} bytes were read in one turn of the page`)
    assert.equal(
      await page.evaluate(() => 'pwned' in window || document.querySelector('#report img, #report script') !== null),
      false,
    )
  }
})

test('3d: hostile text in the box and hostile keys end in sentences', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  for (const typed of ['\ud800', '{"a":"\ud800"}', HTML, '"'.repeat(10_000), '\u0000', 'NaN', '-', '{"schema":'])
    assert.equal((await verifyText(page, typed)).verdict, 'INCONCLUSIVE', typed)
  await setReader(page, { keys: [], logKeys: [] })
  for (const key of [HTML, `-----BEGIN PUBLIC KEY-----\n${HTML}\n-----END PUBLIC KEY-----`, '+'.repeat(60_000)]) {
    await page.fill('#key-text', key)
    await page.click('#key-add')
    assert.ok(((await page.textContent('#key-note')) ?? '').length > 10)
  }
  assert.equal(await page.locator('#key-list li').count(), 0)
  assert.equal(await page.evaluate(() => 'pwned' in window), false)
})

test('3d: what would hide or reorder text is spelled out where it is shown', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  await verifyText(page, text({ ...golden.record, 'a\u202eb': 1 }))
  const shown = (await page.textContent('#report-body .checks')) ?? ''
  assert.ok(!shown.includes('\u202e'))
  assert.ok(shown.includes('\\u{202e}'))
})

test('a long verification shows how far it is, can be cancelled, and then has judged nothing', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  const body = JSON.parse(golden.chain[0].body_text)
  const { schema: _, doctrine: __, seq: ___, prev: ____, ...draft } = body
  const entries = place(Array.from({ length: 12_000 }, (_, at) => ({ ...draft, request_id: `req-${at}` })))
  const file = join(folder, 'long.jsonl')
  writeFileSync(file, `${exportLines({ entries, sign: () => null, note: null }).join('\n')}\n`)
  await startTurns(page)
  // Clicked by the page at its first progress: a fast machine would be done before a click from outside arrives.
  await page.evaluate(() => {
    const progress = document.querySelector<HTMLElement>('#progress')!
    const watch = new MutationObserver(() => {
      if (progress.hidden || progress.querySelector<HTMLProgressElement>('#progress-bar')!.value === 0) return
      watch.disconnect()
      progress.dataset.seen = progress.querySelector('#progress-words')!.textContent
      document.querySelector<HTMLElement>('#cancel')!.click()
    })
    watch.observe(progress, { subtree: true, attributes: true, childList: true, characterData: true })
  })
  await page.setInputFiles('#evidence-file', file)
  await page.waitForFunction(() =>
    /Cancelled\. Nothing was judged\./.test(document.querySelector('#report-body')!.textContent),
  )
  assert.match((await page.getAttribute('#progress', 'data-seen')) ?? '', /Verifying, \d+ %/)
  assert.equal(await page.locator('.verdict').count(), 0)
  assert.ok((await turnsTaken(page)).maxBytes <= MAX_BYTES_IN_A_TURN)
  const whole = await verifyFile(page, file)
  assert.equal(whole.subject?.receipts, 12_000)
  assert.equal(whole.verdict, 'INCONCLUSIVE')
})

async function open(t: TestContext): Promise<Page> {
  const page = await site.open(t)
  await setReader(page, {
    keys: [{ pem: keys.p256.production!.pem, kind: 'production' }],
    logKeys: [keys.ed25519.log!.vkey],
  })
  return page
}

/** The page reads a file in pieces of 1 MB and rests after each. Turns of other work may fall together. */
const MAX_BYTES_IN_A_TURN = 8 * MB

type Counting = { taken?: { turns: number; bytes: number; maxBytes: number } }

/** From now on the page counts its turns, one message after the other, and what is read of files in each. Time does not
 *  count: a slow machine has slow turns. */
async function startTurns(page: Page): Promise<void> {
  await page.evaluate(() => {
    const home = window as unknown as Counting
    const isFirst = home.taken === undefined
    home.taken = { turns: 0, bytes: 0, maxBytes: 0 }
    if (!isFirst) return
    const { slice } = Blob.prototype
    Blob.prototype.slice = function (this: Blob, ...range) {
      const part = slice.apply(this, range)
      home.taken!.bytes += part.size
      home.taken!.maxBytes = Math.max(home.taken!.maxBytes, home.taken!.bytes)
      return part
    }
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      home.taken!.turns += 1
      home.taken!.bytes = 0
      port2.postMessage(null)
    }
    port2.postMessage(null)
  })
}

const turnsTaken = (page: Page): Promise<{ turns: number; maxBytes: number }> =>
  page.evaluate(() => (window as unknown as Required<Counting>).taken)
