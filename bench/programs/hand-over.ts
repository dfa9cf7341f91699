// What it costs to hand something to another thread: `node bench/programs/hand-over.ts`. Prints microseconds of processor time
// for a question to the ledger's reader, 32 at a time, and for the examination of a short text, 16 in a message, as the JSON it
// crosses in and as the objects it stands for.
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { openLedger } from '../../packages/server/src/ledger/ledger.ts'
import { benchFolder } from '../folder.ts'
import { examined } from '../guards/pipeline.ts'
import { EXAMPLE } from '../references/shapes.ts'
import { median } from '../results.ts'
import { draftOf, settingsOf } from './receipts.ts'

const ITERATIONS = 5
const RECEIPTS = 100
const [CALLERS, QUESTIONS] = [32, 1_000]
const [TOGETHER, MESSAGES] = [16, 1_000]

const ledger = await openLedger(settingsOf(benchFolder()))
for (let n = 0; n < RECEIPTS; n += 1) await ledger.append(draftOf(n))
const ask = async () => {
  for (let n = 0; n < QUESTIONS; n += 1) await ledger.reader.byIndex(n % RECEIPTS)
}

const { port1, port2 } = new MessageChannel()
const crossed = (message: unknown) => {
  port1.postMessage({ examinations: message })
  return receiveMessageOnPort(port2)!.message.examinations
}
const examinations = Array.from({ length: TOGETHER }, () => examined(EXAMPLE.text, 'user'))
const repeat = (work: () => unknown) => async () => {
  for (let n = 0; n < MESSAGES; n += 1) work()
}

const works: [name: string, items: number, work: () => Promise<unknown>][] = [
  ['a question to a thread', CALLERS * QUESTIONS, () => Promise.all(Array.from({ length: CALLERS }, ask))],
  ['an examination as JSON', TOGETHER * MESSAGES, repeat(() => JSON.parse(crossed(JSON.stringify(examinations))))],
  ['an examination as objects', TOGETHER * MESSAGES, repeat(() => crossed(examinations))],
]
const taken = works.map((): number[] => [])
for (let round = 0; round <= ITERATIONS; round += 1)
  for (const [at, [, items, work]] of works.entries()) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    // The first round is for the compiler.
    if (round > 0) taken[at]!.push((user + system) / items)
  }
for (const [at, [name]] of works.entries()) process.stdout.write(`${name}: ${median(taken[at]!)!.toFixed(1)}\n`)
await ledger.close()
process.exit(0)
