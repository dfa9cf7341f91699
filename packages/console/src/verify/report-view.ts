// The report as the reader sees it: the verdict in a word and a shape, the checks in order, what none of it proves.
import {
  type Check,
  type DecodedDecision,
  type RestoreFacts,
  restoreSentence,
  type VerificationReport,
} from '@orch/core'
import { element } from './element.ts'
import { copyReport, reportText, saveReport } from './save.ts'
import { shapeOf } from './shapes.ts'
import { plainText } from './text-view.ts'
import { factsView } from './value-view.ts'
import { CHECK_TITLES, KIND_NAMES, keyNote, sentence, verdictSentence, verdictWord } from './words.ts'

export type Context = { name: string; size: string; saysDemo: boolean }

export function reportView(report: VerificationReport, context: Context): HTMLElement[] {
  const subject = report.subject ? [subjectView(report, context)] : []
  const verdict = verdictView(report, context)
  return [
    verdict,
    ...decisionView(report),
    checksView(report.checks),
    ...subject,
    limitsView(report),
    actionsView(report),
  ]
}

function verdictView(report: VerificationReport, { name, size, saysDemo }: Context): HTMLElement {
  const { verdict, kind } = report
  const notes = [keyNote(report), saysDemo ? 'The file itself speaks of a demo key.' : null].filter(
    (note) => note !== null,
  )
  return element(
    'div',
    { class: `verdict ${verdict}` },
    shapeOf(verdict),
    element(
      'div',
      {},
      element('h3', {}, verdictWord(verdict)),
      element('p', { class: 'lead' }, plainText(verdictSentence(report))),
      element(
        'p',
        { class: 'quiet' },
        `${sentence(KIND_NAMES[kind]).slice(0, -1)} from `,
        plainText(name),
        `, ${size}`,
      ),
      ...restoredNotes(report),
      ...notes.map((note) => element('p', { class: 'note' }, note)),
    ),
  )
}

/** Before every other note: receipts may be missing, however well the rest verifies. */
const restoredNotes = ({ subject }: VerificationReport): HTMLElement[] =>
  ((subject?.restores ?? []) as RestoreFacts[]).map((facts) =>
    element('p', { class: 'note' }, element('strong', {}, 'Restored: '), plainText(sentence(restoreSentence(facts)))),
  )

function checksView(checks: readonly Check[]): HTMLElement {
  const list = element('ol', { class: 'checks' })
  for (const one of checks) list.append(checkView(one))
  return element('section', { 'aria-labelledby': 'checks-title' }, title('checks-title', 'Checks, in order'), list)
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
  return element(
    'section',
    { 'aria-labelledby': 'subject-title' },
    title('subject-title', 'What was judged'),
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
  const decided: [string, unknown][] =
    outcome === null
      ? []
      : [
          ['outcome', outcome],
          ['reasons', words],
          ['gates fired', gates_fired],
        ]
  const asked = Object.entries({ agent, tool }).filter(([, stated]) => stated !== null)
  return [
    element(
      'section',
      { 'aria-labelledby': 'decision-title' },
      title('decision-title', outcome === null ? 'What the receipt says' : 'The decision'),
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
  const list = element('ul', { class: 'limits' })
  for (const line of does_not_prove) list.append(element('li', {}, sentence(line)))
  return element(
    'section',
    { 'aria-labelledby': 'limits-title' },
    title('limits-title', 'What this does not prove'),
    list,
  )
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

const title = (id: string, text: string): HTMLElement => element('h3', { id, class: 'part' }, text)
