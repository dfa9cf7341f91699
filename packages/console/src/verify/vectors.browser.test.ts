// The committed cases and a thousand-receipt ledger, put in through the form: the page says what the library says.
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { type ReceiptDraft, sha256Hex, utf8Encode, verifyAny } from '@orch/core'
import type { Browser } from 'playwright-core'
import { newCheckedPage } from '../../../../scripts/testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '../../../../scripts/testing/chromium.ts'
import { freshFolder } from '../../../../scripts/testing/private-folder.ts'
import { type Case, differences, type KeysFile, trustOf } from '../../../../vectors/cases.ts'
import { production } from '../../../../vectors/source/keys.ts'
import { exportLines, type Made, place, signatureOf } from '../../../../vectors/source/ledger.ts'
import { savePage, setReader, timeless, verifyFile, verifyText } from '../../page-driver.ts'

const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8'))
const keys = vector('keys.json') as KeysFile
const cases = vector('cases.json') as Case[]

const noBrowser = chromiumUnavailable()
const folder = freshFolder('verify-vectors')
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

/** What the form cannot say: a ledger at hand that was walked, and the validity of a key. */
function readerOf({ trust }: Case) {
  const { chain, ...rest } = trust
  const isWhole = chain === undefined && trust.keys.every(({ from, to }) => !from && !to)
  return { isWhole, trust: { ...rest, keys: trust.keys.map(({ name, kind }) => ({ name, kind })) } }
}

test('3c: every committed case gives on the page, check for check, what the library gives', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await newCheckedPage(browser, address, t)
  await page.goto(address)
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

const SIZE = 1000
const CHAINS = ['governance', 'stepping', 'organs']
const drafts = Array.from(
  { length: SIZE + 1 },
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

/** What happens to the receipt lines, and which index is then the first that is wrong. */
const ATTACKS: Record<string, (lines: string[], at: number) => [lines: string[], brokenAt: number]> = {
  alter: (lines, at) => [lines.with(at, altered(lines[at]!)), at],
  delete: (lines, at) => [lines.toSpliced(at, 1), at],
  swap: (lines, at) => [lines.with(at, lines[at + 1]!).with(at + 1, lines[at]!), at],
  duplicate: (lines, at) => [lines.toSpliced(at, 0, lines[at]!), at + 1],
  insert: (lines, at) => [lines.toSpliced(at, 0, lines[(at + 500) % SIZE]!), at],
}

/** The decision is turned round and everything else left as it was. */
function altered(line: string): string {
  const receipt = JSON.parse(line)
  const body = Buffer.from(receipt.p, 'base64').toString()
  const turned = body.includes('"ALLOW"') ? body.replace('"ALLOW"', '"DENY"') : body.replace('"DENY"', '"ALLOW"')
  return JSON.stringify({ ...receipt, p: Buffer.from(turned).toString('base64') })
}

test('3c: of a thousand receipts the page names the exact one that was altered, deleted, swapped, duplicated or inserted', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const entries: Made[] = place(drafts.slice(0, SIZE))
  const signatures = new Map(entries.map((entry) => [entry, signatureOf(entry)]))
  const [header, ...rest] = exportLines({ entries, sign: (entry) => signatures.get(entry)!, note: null })
  const [lines, footer] = [rest.slice(0, -1), rest.at(-1)!]
  const page = await newCheckedPage(browser, address, t)
  await page.goto(address)
  await setReader(page, { keys: [{ pem: production.pem, kind: 'production' }] })
  const judge = (middle: string[]) => verifyFile(page, utf8Encode(`${[header, ...middle, footer].join('\n')}\n`))
  assert.equal((await judge(lines)).verdict, 'PARTIAL')
  const attacks = Object.entries(ATTACKS)
  for (let round = 0; round < 40; round += 1) {
    const [name, attack] = attacks[round % attacks.length]!
    const at = (round * 257 + 1) % (SIZE - 2)
    const [tampered, brokenAt] = attack(lines, at)
    const report = await judge(tampered)
    assert.equal(report.verdict, 'FAIL', `${name} at ${at}`)
    const bad = report.subject?.first_bad as { node_index: number; line: number }
    assert.deepEqual([bad.node_index, bad.line], [brokenAt, brokenAt + 2], `${name} at ${at}`)
    assert.match((await page.textContent('.verdict')) ?? '', new RegExp(`Line ${brokenAt + 2}: .*index ${brokenAt}\\b`))
  }
})
