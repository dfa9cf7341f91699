// Loaded by `node --test-reporter` inside the process of one test file: writes what happened as JSON lines, so that
// the runner outside counts single tests and still knows them when the process dies half way.

import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

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
    if (event.type === 'test:start') parents.splice(event.data.nesting, parents.length, event.data.name)
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const name = [...parents.slice(0, event.data.nesting), event.data.name].join(' > ')
    const record = recordOf(name, event)
    if (record) yield `${JSON.stringify(record)}\n`
  }
}

function recordOf(
  name: string,
  event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>,
): TestRecord | undefined {
  const { data } = event
  const failed = event.type === 'test:fail'
  // A suite is a heading: it counts only when something of its own failed, a hook for example.
  const error = failed ? (data as { details: { error: Error & { failureType?: string } } }).details.error : undefined
  if (data.details.type === 'suite' && (!error || error.failureType === 'subtestsFailed')) return undefined
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
