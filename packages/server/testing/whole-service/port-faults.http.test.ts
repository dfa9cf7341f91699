// Every question that an operation asks a thread of the ledger is answered with a failure once, one question at a time. No
// operation takes the process down, leaves a rejection behind, or calls a store that is away an error of its own.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ERRORS } from '../../src/errors.ts'
import { describedOperations } from '../every-operation.ts'
import { startApp } from '../layer.ts'
import { type Answer, post, send } from '../raw-http.ts'

type Ask = (message: object) => Promise<unknown>
interface Asked {
  ask: Ask
}

/** More than any operation needs; what asks without end is not tried at every question. */
const MAX_QUESTIONS = 12

/** Its status is on the wire before the last question: a failure then shows by a body that ends too early. */
const STREAMED = 'receipts.exportLedger'

const unforeseen: unknown[] = []
for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (error) => unforeseen.push(`${event}: ${String((error as Error)?.stack ?? error)}`))

const service = await startApp({ after }, { ORCH_STORE: 'sqlite' }, [])
const { ledger, background } = service.app.ports
// Only the questions of the operation that is asked are counted and failed.
background.stop()

/** Counts the questions and fails the one of this number; 0 fails none. */
class FailingThreads {
  questions = 0
  private failAt = 0
  private kind: 'reject' | 'throw' = 'reject'

  constructor(threads: readonly Asked[]) {
    for (const thread of threads) {
      const ask = thread.ask.bind(thread)
      thread.ask = (message) => {
        this.questions += 1
        if (this.questions !== this.failAt) return ask(message)
        const error = Object.assign(new Error('planted: /var/lib/secret-host'), { code: 'EIO' })
        if (this.kind === 'throw') throw error
        return turn().then(() => Promise.reject(error))
      }
    }
  }

  arm(failAt: number, kind: 'reject' | 'throw'): void {
    this.questions = 0
    this.failAt = failAt
    this.kind = kind
  }
}

// Below everything that maps, meters or keeps what the threads say.
const { thread, readerThread } = ledger as unknown as { thread: Asked; readerThread: Asked }
const threads = new FailingThreads([thread, readerThread])
for (let n = 0; n < 3; n += 1) await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify({ n }))
await ledger.checkpointNow()

function faultOf({ status, json, text }: Answer): string | null {
  if (/planted|secret-host/.test(text)) return `told the words of the failure: ${text.slice(0, 200)}`
  if (status < 400 || json?.status === 'NOT_READY') return null
  const code = json?.error?.code ?? (status === 422 ? 'validation_error' : 'none')
  if (status === 500 || code === 'internal_error') return `${status} ${code}`
  return code === 'validation_error' || Object.hasOwn(ERRORS, code) ? null : `${status} ${text.slice(0, 200)}`
}

for (const { id, call } of await describedOperations(service.url))
  test(`${id} with any one of its questions to the store failed`, async () => {
    threads.arm(0, 'reject')
    await call({})
    const questions = Math.min(threads.questions, MAX_QUESTIONS)
    const faults: string[] = []
    for (let failAt = 1; failAt <= questions; failAt += 1)
      for (const kind of ['reject', 'throw'] as const) {
        threads.arm(failAt, kind)
        const fault = await call({}).then(faultOf, (error: Error) => (id === STREAMED ? null : error.message))
        if (fault !== null) faults.push(`question ${failAt}, ${kind}: ${fault}`)
      }
    threads.arm(0, 'reject')
    // A rejection is called unhandled a turn after nobody took it up.
    await turn()
    await turn()
    assert.deepEqual([faults, unforeseen.splice(0)], [[], []])
  })

test('an export whose first question fails is refused with its status', async () => {
  threads.arm(2, 'reject')
  const answer = await send(`${service.url}/api/orch/v1/ledger/export`)
  threads.arm(0, 'reject')
  assert.deepEqual([answer.status, answer.json.error.code], [503, 'store_unavailable'])
})
