// The report as the reader sees it: the verdict in a word and a shape, the checks in order, what none of it proves.
import {
  type Check,
  type DecodedDecision,
  type RestoreFacts,
  restoreSentence,
  type VerificationReport,
} from '@orch/core'
import { digestView, element, isDigest, plainText } from './element.ts'
import { shapeOf } from './shapes.ts'
import { CHECK_TITLES, KIND_NAMES, keyNote, sentence, verdictSentence, verdictWord } from './words.ts'

export type Context = { name: string; size: string; saysDemo: boolean }

export function reportView(report: VerificationReport, context: Context): HTMLElement[] {
  const before = [verdictView(report, context), ...decisionView(report), checksView(report.checks)]
  const subject = report.subject ? [subjectView(report, context)] : []
  return [...before, ...subject, limitsView(report), actionsView(report)]
}

function verdictView(report: VerificationReport, { name, size, saysDemo }: Context): HTMLElement {
  const { verdict, kind } = report
  const notes = [keyNote(report), saysDemo ? 'The file itself speaks of a demo key.' : null]
  const origin = [`${sentence(KIND_NAMES[kind]).slice(0, -1)} from `, plainText(name), `, ${size}`]
  const words = element(
    'div',
    {},
    element('h3', {}, verdictWord(verdict)),
    element('p', { class: 'lead' }, plainText(verdictSentence(report))),
    element('p', { class: 'quiet' }, ...origin),
    ...restoredNotes(report),
    ...notes.filter((note) => note !== null).map((note) => element('p', { class: 'note' }, note)),
  )
  return element('div', { class: `verdict ${verdict}` }, shapeOf(verdict), words)
}

/** Before every other note: receipts may be missing, however well the rest verifies. */
const restoredNotes = ({ subject }: VerificationReport): HTMLElement[] =>
  ((subject?.restores ?? []) as RestoreFacts[]).map((facts) =>
    element('p', { class: 'note' }, element('strong', {}, 'Restored: '), plainText(sentence(restoreSentence(facts)))),
  )

function checksView(checks: readonly Check[]): HTMLElement {
  return section('checks-title', 'Checks, in order', element('ol', { class: 'checks' }, ...checks.map(checkView)))
}

function checkView({ check, status, reason, details }: Check): HTMLElement {
  const head = element(
    'div',
    { class: 'check-head' },
    element('h4', {}, CHECK_TITLES[check]),
    element('code', { class: 'quiet' }, check),
    element('span', { class: 'status' }, status),
  )
  const body = element('div', {}, head, element('p', {}, plainText(sentence(reason))))
  const entries = Object.entries(details)
  if (entries.length > 0) body.append(element('details', {}, element('summary', {}, 'Details'), factsView(entries)))
  return element('li', { class: status, 'data-check': check }, shapeOf(status), body)
}

function subjectView({ subject }: VerificationReport, { name }: Context): HTMLElement {
  const { digest, decoded, ...facts } = subject as NonNullable<typeof subject>
  return section(
    'subject-title',
    'What was judged',
    element('p', { class: 'quiet' }, 'Recomputed from the bytes of ', plainText(name), '.'),
    factsView([['digest', digest], ...Object.entries(facts)]),
  )
}

/** What the signed bytes say was decided, beside the checks that say whether to believe it. */
function decisionView({ subject }: VerificationReport): HTMLElement[] {
  const decoded = subject?.decoded as DecodedDecision | undefined
  if (!decoded) return []
  const { kind, kind_words, outcome, reasons, gates_fired, agent, tool, actor, policy } = decoded
  const words = reasons.map(({ code, words }) => (words === null ? code : `${code}: ${words}`))
  const decided = outcome === null ? [] : Object.entries({ outcome, reasons: words, 'gates fired': gates_fired })
  const asked = Object.entries({ agent, tool }).filter(([, stated]) => stated !== null)
  return [
    section(
      'decision-title',
      outcome === null ? 'What the receipt says' : 'The decision',
      factsView([
        ['kind', kind_words === null ? kind : `${kind}: ${kind_words}`],
        ...decided,
        ...asked,
        ['actor', actor],
        ['policy', policy],
      ]),
    ),
  ]
}

function limitsView({ does_not_prove }: VerificationReport): HTMLElement {
  const lines = does_not_prove.map((line) => element('li', {}, sentence(line)))
  return section('limits-title', 'What this does not prove', element('ul', { class: 'limits' }, ...lines))
}

function actionsView(report: VerificationReport): HTMLElement {
  const said = element('p', { class: 'quiet', role: 'status' })
  const copy = element('button', { type: 'button', class: 'second' }, 'Copy report as JSON')
  copy.addEventListener('click', () => {
    void copyReport(report).then((copied) => {
      said.textContent = copied ? 'Copied.' : 'The browser refused; open the JSON below and copy it there.'
    })
  })
  const save = element('button', { type: 'button', class: 'second' }, 'Save report as JSON')
  save.addEventListener('click', () => saveReport(report))
  return element('div', { class: 'actions' }, element('div', { class: 'buttons' }, copy, save), said, jsonView(report))
}

/** Made when it is opened: a report on a large ledger is long. */
function jsonView(report: VerificationReport): HTMLElement {
  const text = element('pre', { id: 'report-json', tabindex: '0', 'aria-label': 'Report as JSON' })
  const folded = element('details', { id: 'report-json-fold' }, element('summary', {}, 'Report as JSON'), text)
  folded.addEventListener('toggle', () => {
    if (folded.open) text.textContent = reportText(report)
  })
  return folded
}

const section = (id: string, heading: string, ...parts: HTMLElement[]): HTMLElement =>
  element('section', { 'aria-labelledby': id }, element('h3', { id, class: 'part' }, heading), ...parts)

// The report leaves the page only by the reader's hand: the clipboard or a file.
const reportText = (report: VerificationReport): string => `${JSON.stringify(report, null, 2)}\n`

async function copyReport(report: VerificationReport): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(reportText(report))
    return true
  } catch {
    return false
  }
}

function saveReport(report: VerificationReport): void {
  const file = new Blob([reportText(report)], { type: 'application/json' })
  const address = URL.createObjectURL(file)
  element('a', { href: address, download: 'verification-report.json' }).click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

// The details of a check and the facts about the subject: any JSON value, bounded in depth and number.
const DEEPEST = 6
const MAX_ITEMS = 40

function valueView(value: unknown, depth = 0): HTMLElement {
  if (typeof value === 'string') return isDigest(value) ? digestView(value) : plainText(value)
  if (value === null) return element('span', { class: 'quiet' }, 'none')
  if (typeof value !== 'object') return element('span', { class: 'scalar' }, String(value))
  const entries: [string, unknown][] = Object.entries(value)
  if (entries.length === 0) return element('span', { class: 'quiet' }, 'none')
  if (depth >= DEEPEST) return element('span', { class: 'quiet' }, 'deeper than is shown here')
  return Array.isArray(value) ? listView(value, depth) : factsView(entries, depth)
}

function factsView(entries: readonly [string, unknown][], depth = 0): HTMLElement {
  const list = element('dl', { class: 'facts' })
  for (const [name, value] of entries.slice(0, MAX_ITEMS))
    list.append(element('div', {}, element('dt', {}, plainText(name)), element('dd', {}, valueView(value, depth + 1))))
  return withRest(list, entries.length)
}

function listView(values: readonly unknown[], depth: number): HTMLElement {
  const items = values.slice(0, MAX_ITEMS).map((value) => element('li', {}, valueView(value, depth + 1)))
  return withRest(element('ul', { class: 'items' }, ...items), values.length)
}

function withRest(list: HTMLElement, length: number): HTMLElement {
  if (length <= MAX_ITEMS) return list
  const rest = `and ${length - MAX_ITEMS} more, in the report as JSON`
  return element('div', {}, list, element('p', { class: 'quiet' }, rest))
}
