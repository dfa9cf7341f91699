// A verification report for people.
import { type CheckStatus, type RestoreFacts, restoreSentence, type VerificationReport } from '@orch/core'
import { type Colour, printable, type Terminal } from './terminal.ts'

const STATUS_COLOURS: Record<CheckStatus, Colour> = {
  VERIFIED: 'green',
  MISMATCH: 'red',
  UNSIGNED: 'yellow',
  UNAVAILABLE: 'dim',
}

export function reportText(file: string, report: VerificationReport, { paint }: Pick<Terminal, 'paint'>): string {
  const lines = report.checks.map(
    ({ check, status, reason }) =>
      `  ${check.padEnd(14)} ${paint(STATUS_COLOURS[status], status.padEnd(11))} ${printable(reason)}`,
  )
  const subject = report.subject === null ? [] : [`  digest         ${report.subject.digest}`]
  const bad = report.subject?.first_bad as { line: number } | null | undefined
  return [
    `${printable(file)}: ${paint(verdictColour(report), report.verdict)} (${report.kind})`,
    ...restoredLines(report).map((line) => paint('yellow', line)),
    ...lines,
    ...subject,
    ...(bad ? [`  first bad line ${bad.line}`] : []),
    '  this does not prove:',
    ...report.does_not_prove.map((line) => `    ${line}`),
    '',
  ].join('\n')
}

/** Above the checks: whoever reads the verdict must not overlook it. */
const restoredLines = ({ subject }: VerificationReport): string[] =>
  ((subject?.restores ?? []) as RestoreFacts[]).map((facts) => `  RESTORED       ${printable(restoreSentence(facts))}`)

/** Green is for PASS alone. */
const verdictColour = ({ verdict }: VerificationReport): Colour =>
  verdict === 'PASS' ? 'green' : verdict === 'FAIL' ? 'red' : 'yellow'
