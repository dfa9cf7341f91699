// Loaded by `node --test-reporter` inside the process of one test file: writes what happened as JSON lines, so that
// the runner outside counts single tests and still knows them when the process dies half way.

import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** Of several files the outermost test is the file, and says whose the others are. */
const isBatch = process.argv.length > 3

export interface TestRecord {
  name: string
  file: string
  line: number
  seconds: number
  outcome: 'passed' | 'failed' | 'skipped'
  /** The error in full, or why it was skipped. */
  detail: string
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const parents: string[] = []
  for await (const event of events) {
    // An error after its test belongs to none: the runner outside shows what was printed beside the exit code.
    if (event.type === 'test:diagnostic' && event.data.message.startsWith('Error: ')) console.error(event.data.message)
    if (event.type === 'test:start') parents.splice(event.data.nesting, parents.length, event.data.name)
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const path = [...parents.slice(0, event.data.nesting), event.data.name]
    const [file] = path as [string]
    const record = recordOf((isBatch && path.length > 1 ? path.slice(1) : path).join(' > '), event)
    if (record) yield `${JSON.stringify(isBatch ? { ...record, file } : record)}\n`
  }
}

const isHeading = (data: { details: { type?: string }; nesting: number }): boolean =>
  data.details.type === 'suite' || (isBatch && data.nesting === 0)

function recordOf(
  name: string,
  event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>,
): TestRecord | undefined {
  const { data } = event
  const failed = event.type === 'test:fail'
  // A suite is a heading, and so is a file: it counts only when something of its own failed, a hook for example.
  const error = failed ? (data as { details: { error: Error & { failureType?: string } } }).details.error : undefined
  if (isHeading(data) && (!error || error.failureType === 'subtestsFailed')) return undefined
  const reason = data.skip ?? data.todo
  const skipped = reason !== undefined && reason !== false
  return {
    name,
    file: data.file ?? '',
    line: data.line ?? 0,
    seconds: data.details.duration_ms / 1000,
    outcome: failed ? 'failed' : skipped ? 'skipped' : 'passed',
    detail: error ? inspect(error.cause ?? error, { depth: 6 }) : typeof reason === 'string' ? reason : '',
  }
}
