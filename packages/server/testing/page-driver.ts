// Drives the verifier page as a reader would, for the browser tests: everything goes through its form, nothing through
// a back door.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { KeyKind, VerificationReport } from '@orch/core'
import type { Page } from 'playwright-core'
import { buildVerifyPage } from '../../console/build-pages.ts'

interface GivenKey {
  pem: string
  kind: KeyKind
}

/** What a reader can hold the evidence to. */
interface Reader {
  keys?: readonly GivenKey[]
  logKeys?: readonly string[]
  expectedDigest?: string
  requireProduction?: boolean
}

export async function setReader(page: Page, reader: Reader): Promise<void> {
  await page.evaluate(typeReader, { keys: [], logKeys: [], expectedDigest: '', requireProduction: false, ...reader })
}

// Runs inside the page.
function typeReader({ keys, logKeys, expectedDigest, requireProduction }: Required<Reader>): void {
  const find = <Kind extends HTMLElement>(selector: string): Kind => document.querySelector<Kind>(selector) as Kind
  for (const button of document.querySelectorAll<HTMLButtonElement>('#key-list .plain')) button.click()
  const add = (text: string): void => {
    find<HTMLTextAreaElement>('#key-text').value = text
    find('#key-add').click()
  }
  for (const vkey of logKeys) add(vkey)
  for (const { pem, kind } of keys) {
    add(pem)
    const choices = document.querySelectorAll<HTMLSelectElement>('#key-list select')
    const choice = choices[choices.length - 1] as HTMLSelectElement
    choice.value = kind
    choice.dispatchEvent(new Event('change'))
  }
  find<HTMLInputElement>('#expected-digest').value = expectedDigest
  find<HTMLInputElement>('#require-production').checked = requireProduction
}

export async function verifyText(page: Page, text: string): Promise<VerificationReport> {
  await page.evaluate((typed) => {
    const box = document.querySelector<HTMLTextAreaElement>('#evidence') as HTMLTextAreaElement
    box.value = typed
    box.dispatchEvent(new Event('input'))
    document.querySelector<HTMLButtonElement>('#verify')?.click()
  }, text)
  return readReport(page)
}

/** A path, or the bytes of a file that has none; a browser takes large ones by path only. */
export async function verifyFile(page: Page, file: string | Uint8Array): Promise<VerificationReport> {
  const given =
    typeof file === 'string'
      ? file
      : { name: 'evidence', mimeType: 'application/octet-stream', buffer: Buffer.from(file) }
  await page.setInputFiles('#evidence-file', given)
  return readReport(page)
}

/** The report as the page offers it for saving. */
export async function readReport(page: Page, timeout = 60_000): Promise<VerificationReport> {
  await page.waitForSelector('#report[aria-busy="false"] #report-json-fold', { state: 'attached', timeout })
  const text = await page.evaluate(async () => {
    const fold = document.querySelector<HTMLDetailsElement>('#report-json-fold') as HTMLDetailsElement
    const opened = new Promise((resolve) => fold.addEventListener('toggle', resolve, { once: true }))
    fold.open = true
    await opened
    return document.querySelector('#report-json')?.textContent ?? ''
  })
  return JSON.parse(text) as VerificationReport
}

/** The file a reader would have saved. */
export async function savePage(folder: string): Promise<string> {
  const file = join(folder, 'verify.html')
  writeFileSync(file, (await buildVerifyPage()).html)
  return pathToFileURL(file).href
}

/** The same report without the moment it was made at. */
export const timeless = ({ checked_at: _, ...rest }: VerificationReport): Omit<VerificationReport, 'checked_at'> => rest
