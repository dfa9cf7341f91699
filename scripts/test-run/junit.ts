// JUnit files, which is what continuous integration servers read.
import type { TestRecord } from './reporter.ts'

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
