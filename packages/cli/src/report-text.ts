// A verification report for people.
import {
  type CheckStatus,
  type DecodedDecision,
  DOES_NOT_PROVE,
  headline,
  type RestoreFacts,
  restoreSentence,
  type VerificationReport,
} from '@orch/core'
import { type Colour, printable, type Terminal } from './terminal.ts'

const STATUS_COLOURS: Record<CheckStatus, Colour> = {
  VERIFIED: 'green',
  MISMATCH: 'red',
  UNSIGNED: 'yellow',
  UNAVAILABLE: 'dim',
  DEMO: 'yellow',
}

export function reportText(file: string, report: VerificationReport, { paint }: Pick<Terminal, 'paint'>): string {
  const lines = report.checks.map(
    ({ check, status, reason }) =>
      `  ${check.padEnd(14)} ${paint(STATUS_COLOURS[status], status.padEnd(11))} ${printable(reason)}`,
  )
  const bad = report.subject?.first_bad as { line: number } | null | undefined
  return [
    `${printable(file)}: ${paint(verdictColour(report), report.verdict)} (${report.kind})`,
    `  ${printable(headline(report))}`,
    ...restoredLines(report).map((line) => paint('yellow', line)),
    ...lines,
    ...subjectLines(report),
    ...(bad ? [`  first bad line ${bad.line}`] : []),
    '',
  ].join('\n')
}

/** Once per run: it is the same for every file. */
export const caveatsText = (): string =>
  ['none of this proves:', ...DOES_NOT_PROVE.map((line) => `  ${line}`), ''].join('\n')

export function subjectLines({ subject }: VerificationReport): string[] {
  if (subject === null) return []
  const digest = `  ${'digest'.padEnd(14)} ${subject.digest}`
  const count = typeof subject.receipts === 'number' ? [`  ${'receipts'.padEnd(14)} ${subject.receipts}`] : []
  return [digest, ...count, ...(subject.decoded === undefined ? [] : decodedLines(subject.decoded as DecodedDecision))]
}

/** What the signed bytes say was decided; whoever signed them wrote it. */
function decodedLines(decoded: DecodedDecision): string[] {
  const { kind, kind_words, outcome, reasons, gates_fired, agent, tool, actor, policy } = decoded
  const line = (name: string, text: string): string => `  ${name.padEnd(14)} ${printable(text)}`
  const said = reasons.map(({ code, words }) => line('reason', words === null ? code : `${code}: ${words}`))
  const decided = outcome === null ? [] : [line('decision', outcome), ...said]
  const gates = outcome === null ? [] : [line('gates fired', gates_fired.join(', ') || 'none')]
  const asked = [...(agent === null ? [] : [line('agent', agent)]), ...(tool === null ? [] : [line('tool', tool)])]
  const rules = policy === null ? [] : [line('policy', policy.policy_digest), line('rules', policy.rules_digest)]
  return [
    line('kind', kind_words === null ? kind : `${kind}: ${kind_words}`),
    ...decided,
    ...gates,
    ...asked,
    line('actor', `${actor.owner} (${actor.auth_mode})`),
    ...rules,
  ]
}

/** Above the checks: whoever reads the verdict must not overlook it. */
const restoredLines = ({ subject }: VerificationReport): string[] =>
  ((subject?.restores ?? []) as RestoreFacts[]).map((facts) => `  RESTORED       ${printable(restoreSentence(facts))}`)

/** Green is for PASS alone. */
const verdictColour = ({ verdict }: VerificationReport): Colour =>
  verdict === 'PASS' ? 'green' : verdict === 'FAIL' ? 'red' : 'yellow'
