// What the reader sees at the end: one table, every skip with its reason, one line of totals.
import type { TestRecord } from './reporter.ts'

export interface SuiteResult {
  suite: string
  seconds: number
  tests: TestRecord[]
}

const OUTCOMES = ['passed', 'failed', 'skipped'] as const

const countOf = (tests: readonly TestRecord[], outcome: TestRecord['outcome']): number =>
  tests.filter((test) => test.outcome === outcome).length

export function summaryOf(results: readonly SuiteResult[]): { text: string; ok: boolean } {
  const all = results.flatMap(({ tests }) => tests)
  const [passed, failed, skipped] = OUTCOMES.map((outcome) => countOf(all, outcome)) as [number, number, number]
  const ok = failed === 0 && passed > 0
  const word = !ok ? 'RED' : skipped > 0 ? 'YELLOW' : 'GREEN'
  const why = all.length === 0 ? ' (no test ran)' : ''
  const lines = [
    ...table(results),
    ...skips(all),
    `${word}${why}`,
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ]
  return { text: `${lines.join('\n')}\n`, ok }
}

function table(results: readonly SuiteResult[]): string[] {
  const rows = results.map(({ suite, seconds, tests }) => [
    suite,
    ...OUTCOMES.map((outcome) => String(countOf(tests, outcome))),
    seconds.toFixed(1),
  ])
  const head = ['suite', ...OUTCOMES, 'seconds']
  return [
    '',
    ...[head, ...rows].map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(9))).join('')),
    '',
  ]
}

function skips(tests: readonly TestRecord[]): string[] {
  const skipped = tests.filter(({ outcome }) => outcome === 'skipped')
  if (skipped.length === 0) return []
  return ['skipped:', ...skipped.map(({ name, detail }) => `  ${name}: ${detail || 'no reason given'}`), '']
}

// JUnit files, which is what continuous integration servers read.
export function junitXml(suite: string, seconds: number, tests: readonly TestRecord[]): string {
  const count = (outcome: TestRecord['outcome']) => tests.filter((test) => test.outcome === outcome).length
  const head = `tests="${tests.length}" failures="${count('failed')}" skipped="${count('skipped')}" time="${seconds.toFixed(3)}"`
  const cases = tests.map(testCase).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name="${xmlText(suite)}" ${head}>\n${cases}</testsuite>\n</testsuites>\n`
}

function testCase({ name, file, seconds, outcome, detail }: TestRecord): string {
  const open = `<testcase name="${xmlText(name)}" classname="${xmlText(file)}" time="${seconds.toFixed(3)}"`
  if (outcome === 'passed') return `${open}/>\n`
  const inner =
    outcome === 'skipped' ? `<skipped message="${xmlText(detail)}"/>` : `<failure>${xmlText(detail)}</failure>`
  return `${open}>${inner}</testcase>\n`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

// XML 1.0 has no way to write most control characters, not even escaped: a test name may hold them, the file may not.
function xmlText(text: string): string {
  const printable = text.replace(/\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu, (char) => ('\t\n'.includes(char) ? char : '\uFFFD'))
  return printable.replace(/[&<>"]/g, (char) => ENTITIES[char] as string)
}
