// A ledger of a thousand receipts attacked line by line in the verifier page, by two ways in: its form, as a reader
// uses it, and its own verifier, taken out of the running page by the debugger, which is fast enough for every position.
import assert from 'node:assert/strict'
import type { CDPSession, Page } from 'playwright-core'
import { exportLines, place, signatureOf } from '../../../vectors/source/ledger.ts'
import { type ReceiptDraft, sha256Hex, type VerificationReport } from '../../core/src/index.ts'
import { LINE_ATTACKS } from './export-tampering.ts'
import { fork } from './fork.ts'

export const SIZE = 1000
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
const entries = place(drafts)
export const signedLedger = (): string[] => exportLines({ entries, sign: signatureOf, note: null })
/** Without signatures the walk alone has to find it, and a file takes a fraction of the time. */
const unsigned = exportLines({ entries, sign: () => null, note: null })

/** The last receipt has no next one to change places with. */
export const everyPosition = (attack: string): number[] => [...Array(attack === 'swap' ? SIZE - 1 : SIZE).keys()]

type Edit = { at: number; removed: number; added: string[]; brokenAt: number }
type Judged = { report: VerificationReport; said: string | null }

/** What an attack did to the lines, small enough to send a thousand of them into the page. */
function editOf(lines: readonly string[], attack: string, at: number): Edit {
  const { tampered, brokenAt } = LINE_ATTACKS[attack]!(lines, at)
  let same = 0
  const most = Math.min(lines.length, tampered.length) - at
  while (same < most && lines.at(-1 - same) === tampered.at(-1 - same)) same += 1
  return { at, removed: lines.length - same - at, added: tampered.slice(at, tampered.length - same), brokenAt }
}

const editsOf = (attack: string, positions: readonly number[]): Edit[] =>
  positions.map((at) => editOf(unsigned.slice(1, -1), attack, at))

/** Each must be found at the exact line and index. */
function holdToPlaces(attack: string, edits: readonly Edit[], judged: readonly Judged[]): void {
  assert.equal(judged.length, edits.length)
  for (const [index, { report, said }] of judged.entries()) {
    const { at, brokenAt } = edits[index]!
    const bad = report.subject?.first_bad as { node_index: number; line: number }
    const found = [report.verdict, bad.node_index, bad.line]
    assert.deepEqual(found, ['FAIL', brokenAt, brokenAt + 2], `${attack} at ${at}`)
    if (said !== null)
      assert.match(said, new RegExp(`line ${brokenAt + 2}: .*index ${brokenAt}\\b`), `${attack} at ${at}`)
  }
}

const BATCH = 50

/** Returns how many files were judged. About a tenth of a second each. */
export async function attackThroughForm(page: Page, attack: string, positions: readonly number[]): Promise<number> {
  const edits = editsOf(attack, positions)
  for (let from = 0; from < edits.length; from += BATCH) {
    const batch = edits.slice(from, from + BATCH)
    holdToPlaces(attack, batch, await page.evaluate(judgeInForm, { file: unsigned, edits: batch }))
  }
  return edits.length
}

/** Runs inside the page: each edited file is put into the form as a reader's would be, and the shown report read. */
async function judgeInForm({ file, edits }: { file: string[]; edits: Edit[] }): Promise<Judged[]> {
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

/** Returns how many files were judged. The lines before an edit are walked once and not once per edit. */
export async function attackItsVerifier(page: Page, attack: string, positions: readonly number[]): Promise<number> {
  const edits = editsOf(attack, positions)
  const session = await page.context().newCDPSession(page)
  const judged = await callOn<VerificationReport[]>(session, await verifierOf(session), judgeInBulk, {
    file: unsigned,
    edits,
  })
  await session.detach()
  holdToPlaces(
    attack,
    edits,
    judged.map((report) => ({ report, said: null })),
  )
  return edits.length
}

interface Verifier {
  push(line: string): Promise<void> | undefined
  finish(): Promise<VerificationReport>
}
type VerifierClass = new (trust: { keys: [] }) => Verifier
type Bulk = { file: string[]; edits: Edit[] }

/** Runs inside the page, on its verifier; edits come in the order of their positions. */
async function judgeInBulk(this: VerifierClass, { file, edits }: Bulk): Promise<VerificationReport[]> {
  const sound = new this({ keys: [] })
  let walked = 0
  const reports: VerificationReport[] = []
  for (const { at, removed, added } of edits) {
    for (; walked <= at; walked += 1) await sound.push(file[walked] as string)
    const verifier = fork(sound)
    for (const line of file.toSpliced(at + 1, removed, ...added).slice(walked)) await verifier.push(line)
    reports.push(await verifier.finish())
  }
  return reports
}

/**
 * The class the form verifies ledgers with. The page shows it to nobody, so that no script can put itself between; the
 * debugger reads it out of the scope that the listener of the button closes over.
 */
async function verifierOf(session: CDPSession): Promise<string> {
  const { result } = await session.send('Runtime.evaluate', {
    expression: `document.querySelector('#verify')`,
    objectGroup: 'page-tampering',
  })
  const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId: result.objectId! })
  const listener = listeners.find(({ type }) => type === 'click')?.handler?.objectId
  const { internalProperties = [] } = await session.send('Runtime.getProperties', { objectId: listener! })
  const scopes = internalProperties.find(({ name }) => name === '[[Scopes]]')?.value?.objectId
  const { result: closed } = await session.send('Runtime.getProperties', { objectId: scopes!, ownProperties: true })
  for (const { value } of closed) {
    if (!value?.objectId || !value.description?.startsWith('Closure')) continue
    const { result: properties } = await session.send('Runtime.getProperties', { objectId: value.objectId })
    for (const { value: one } of properties)
      if (one?.type === 'function' && (await callOn<boolean>(session, one.objectId!, isVerifier))) return one.objectId!
  }
  throw new Error('the page holds no verifier of ledger exports')
}

function isVerifier(this: { prototype?: object }): boolean {
  const names = Object.getOwnPropertyNames(this.prototype ?? {})
  return ['push', 'finish', 'progress', 'takeHeader', 'takeFooter'].every((name) => names.includes(name))
}

/** `work` goes into the page as its source; of this module it may name nothing but `fork`. */
async function callOn<Answer>(
  session: CDPSession,
  objectId: string,
  work: (this: never, given: never) => unknown,
  given?: unknown,
): Promise<Answer> {
  const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: `function (given) { ${fork}; return (${work}).call(this, given) }`,
    arguments: [{ value: given }],
    awaitPromise: true,
    returnByValue: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value as Answer
}
