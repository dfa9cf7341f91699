// A ledger of a thousand receipts attacked line by line in the page: its own form, its own bundled verifier.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, type TestContext, test } from 'node:test'
import { type ReceiptDraft, sha256Hex, utf8Encode, type VerificationReport } from '@orch/core'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage } from '../../../../scripts/testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '../../../../scripts/testing/chromium.ts'
import { LINE_ATTACKS, rehashedForward } from '../../../../scripts/testing/export-tampering.ts'
import { freshFolder } from '../../../../scripts/testing/private-folder.ts'
import { production } from '../../../../vectors/source/keys.ts'
import { exportLines, type Made, place, signatureOf } from '../../../../vectors/source/ledger.ts'
import { savePage, setReader, verifyFile } from '../../page-driver.ts'

const noBrowser = chromiumUnavailable()
const folder = freshFolder('verify-tamper')
let browser: Browser
let address = ''
before(async () => {
  address = await savePage(folder)
  if (!noBrowser) browser = await launchChromium()
})
after(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

const SIZE = 1000
const CHAINS = ['governance', 'stepping', 'organs']
const drafts = Array.from(
  { length: SIZE },
  (_, at): ReceiptDraft => ({
    kind: 'decision',
    ns: 'public',
    chain: CHAINS[at % CHAINS.length]!,
    ts_utc: new Date(Date.UTC(2026, 0, 2) + at * 1000).toISOString(),
    request_id: `req-${at}`,
    actor: { owner: 'local', key_id: null, auth_mode: 'open' },
    policy: null,
    payload: { decision: at % 7 === 0 ? 'DENY' : 'ALLOW', input_sha256: sha256Hex(`input ${at}`), input_length: at },
  }),
)
const entries: Made[] = place(drafts)
const signed = exportLines({ entries, sign: signatureOf, note: null })
// Without signatures the walk alone has to find it, and a file takes a fraction of the time.
const unsigned = exportLines({ entries, sign: () => null, note: null })

async function open(t: TestContext): Promise<Page> {
  const page = await newCheckedPage(browser, address, t)
  await page.goto(address)
  await setReader(page, { keys: [{ pem: production.pem, kind: 'production' }] })
  return page
}

type Edit = { at: number; removed: number; added: string[]; brokenAt: number }
type Judged = { report: VerificationReport; said: string }

/** What an attack did to the lines, small enough to send a thousand of them into the page. */
function editOf(lines: readonly string[], tampered: readonly string[], at: number, brokenAt: number): Edit {
  let same = 0
  const most = Math.min(lines.length, tampered.length) - at
  while (same < most && lines.at(-1 - same) === tampered.at(-1 - same)) same += 1
  return {
    at,
    removed: lines.length - same - at,
    added: tampered.slice(at, tampered.length - same),
    brokenAt,
  }
}

/** Runs inside the page: each edited file is put into the form as a reader's would be, and the shown report read. */
async function judgeEach({ file, edits }: { file: string[]; edits: Edit[] }): Promise<Judged[]> {
  const input = document.querySelector('#evidence-file') as HTMLInputElement
  const region = document.querySelector('#report') as HTMLElement
  const settled = () =>
    new Promise<void>((resolve) => {
      const watch = new MutationObserver(() => {
        if (region.getAttribute('aria-busy') !== 'false') return
        watch.disconnect()
        resolve()
      })
      watch.observe(region, { attributes: true, attributeFilter: ['aria-busy'] })
    })
  const judged: Judged[] = []
  for (const { at, removed, added } of edits) {
    const text = `${file.toSpliced(at + 1, removed, ...added).join('\n')}\n`
    const given = new DataTransfer()
    given.items.add(new File([text], 'ledger.jsonl'))
    input.files = given.files
    const ready = settled()
    input.dispatchEvent(new Event('change'))
    await ready
    const fold = document.querySelector('#report-json-fold') as HTMLDetailsElement
    const opened = new Promise((resolve) => fold.addEventListener('toggle', resolve, { once: true }))
    fold.open = true
    await opened
    const report = JSON.parse(document.querySelector('#report-json')?.textContent ?? '') as VerificationReport
    judged.push({ report, said: document.querySelector('.verdict')?.textContent ?? '' })
  }
  return judged
}

const BATCH = 50

async function holdTo(page: Page, name: string, positions: readonly number[]): Promise<void> {
  const lines = unsigned.slice(1, -1)
  const edits = positions.map((at) => {
    const { tampered, brokenAt } = LINE_ATTACKS[name]!(lines, at)
    return editOf(lines, tampered, at, brokenAt)
  })
  for (let from = 0; from < edits.length; from += BATCH) {
    const batch = edits.slice(from, from + BATCH)
    const judged = await page.evaluate(judgeEach, { file: unsigned, edits: batch })
    assert.equal(judged.length, batch.length)
    for (const [index, { report, said }] of judged.entries()) {
      const { at, brokenAt } = batch[index]!
      const bad = report.subject?.first_bad as { node_index: number; line: number }
      assert.deepEqual([report.verdict, bad.node_index, bad.line], ['FAIL', brokenAt, brokenAt + 2], `${name} at ${at}`)
      assert.match(said, new RegExp(`Line ${brokenAt + 2}: .*index ${brokenAt}\\b`), `${name} at ${at}`)
    }
  }
}

// A file takes the page about a tenth of a second. The same verifier meets every position in the tests of the command
// line; here the page is shown to be it.
const SHARE: Record<string, number> = { alter: 250, delete: 25, swap: 25, duplicate: 25, insert: 25 }

for (const [name, share] of Object.entries(SHARE))
  test(`3c: ${name} at ${share} of 1,000 positions is named with its exact line and index by the page`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const last = name === 'swap' ? SIZE - 2 : SIZE - 1
    const positions = [...Array(share - 1).keys()].map((round) => Math.floor((round * SIZE) / share))
    await holdTo(await open(t), name, [...positions, last])
  })

test('3c: a signed ledger, edited or hashed forward without the key, fails on the page where it was changed', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  const judge = (file: readonly string[]) => verifyFile(page, utf8Encode(`${file.join('\n')}\n`))
  assert.equal((await judge(signed)).verdict, 'PARTIAL')
  const [header, footer] = [signed[0]!, signed.at(-1)!]
  const attacked = Object.values(LINE_ATTACKS).map((attack, round) => {
    const { tampered, brokenAt } = attack(signed.slice(1, -1), round * 190 + 13)
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
