import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Examination } from '../../domain/decision/examine.ts'
import { loadRules } from '../../domain/gates/rules.ts'
import type { GateRequest } from '../contract.ts'
import { readRuleFiles, ruleDocuments } from '../rule-files.ts'
import { examineBy } from './examination.ts'
import { ExaminationBatcher } from './examination-batcher.ts'
import { RULES_FOLDER } from './gate-engine.ts'

const rules = loadRules(ruleDocuments(await readRuleFiles(RULES_FOLDER)))
const asked = (text: string): GateRequest => ({
  ...{ text, direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' },
})
const texts = (count: number) => Array.from({ length: count }, (_, at) => asked(`text number ${at}`))

const given = (batcher: ExaminationBatcher, request: GateRequest, length = request.text.length) =>
  batcher.examine(request, length)

/** A pool with so many free threads; each answers when it is told to. */
function poolOf(free: number) {
  const given: { requests: readonly GateRequest[]; answer(): void }[] = []
  return {
    given,
    examineTogether(requests: readonly GateRequest[]) {
      if (free === 0) return null
      free -= 1
      const { promise, resolve } = Promise.withResolvers<Examination[]>()
      const answer = () => {
        free += 1
        resolve(requests.map((request) => examineBy(rules, request)))
      }
      given.push({ requests, answer })
      return promise
    },
  }
}

test('texts that come one by one are examined at once and nobody else is asked', async () => {
  const pool = poolOf(1)
  const batcher = new ExaminationBatcher(rules, pool)
  for (const request of texts(5)) {
    const examination = given(batcher, request)
    assert.ok(!(examination instanceof Promise))
    await turn()
  }
  assert.equal(pool.given.length, 0)
})

for (const [together, handed] of [
  [4, []],
  [5, [4]],
  [65, [64]],
  [68, [64]],
  [69, [64, 4]],
  [200, [64, 64]],
] as const)
  test(`of ${together} that come together two free threads are handed ${handed.join(' and ') || 'none'}`, async () => {
    const pool = poolOf(2)
    const batcher = new ExaminationBatcher(rules, pool)
    const all = texts(together).map((request) => given(batcher, request))
    await turn()
    assert.deepEqual(
      pool.given.map(({ requests }) => requests.length),
      handed,
    )
    const done = Promise.all(all)
    const answering = setInterval(() => {
      for (const { answer } of pool.given.splice(0)) answer()
    }, 1)
    const folded = (await done).map((examination) => examination.folded)
    clearInterval(answering)
    assert.deepEqual(
      folded,
      texts(together).map(({ text }) => text),
    )
  })

test('a whole message does not wait for the end of the turn, nor does the next one behind an answer', async () => {
  const pool = poolOf(1)
  const batcher = new ExaminationBatcher(rules, pool)
  const all = texts(1 + 64 + 63).map((request) => given(batcher, request))
  assert.deepEqual([pool.given.length, batcher.waits], [1, 63])
  all.push(given(batcher, asked('one more')))
  const [first] = pool.given.splice(0)
  first!.answer()
  await all[1]
  assert.deepEqual([pool.given.length, batcher.waits], [1, 0])
  for (const { answer } of pool.given) answer()
  assert.equal((await Promise.all(all)).length, 129)
})

test('one message holds at most 16,384 characters, or one text', async () => {
  for (const [length, handed] of [
    [4096, [4]],
    [4097, [3]],
    [16_384, [1]],
    [16_385, [1]],
  ] as const) {
    const pool = poolOf(1)
    const batcher = new ExaminationBatcher(rules, pool)
    for (let at = 0; at < 6; at += 1) given(batcher, asked(at === 0 ? 'first' : 'x'.repeat(length)))
    await turn()
    assert.deepEqual(
      pool.given.map(({ requests }) => requests.length),
      handed,
      `${length}`,
    )
  }
})

test('what counts is all that is read, and not the text alone', async () => {
  const pool = poolOf(1)
  const batcher = new ExaminationBatcher(rules, pool)
  for (const request of texts(6)) given(batcher, request, 5_000)
  await turn()
  assert.deepEqual(
    pool.given.map(({ requests }) => requests.length),
    [3],
  )
})

test('what a thread fails to read is read here, four in each turn', async () => {
  const failing = Promise.withResolvers<'crashed'>()
  let free = 1
  const batcher = new ExaminationBatcher(rules, { examineTogether: () => (free-- > 0 ? failing.promise : null) })
  let done = 0
  const all = texts(11).map(async (request) => {
    await given(batcher, request)
    done += 1
  })
  await turn()
  assert.equal(done, 1)
  failing.resolve('crashed')
  const seen: number[] = []
  while (done < all.length) {
    await turn()
    if (done !== seen.at(-1)) seen.push(done)
  }
  assert.deepEqual(
    seen.filter((count) => count > 1),
    [5, 9, 11],
  )
})

test('what comes while a thread reads goes to it next, all in one message', async () => {
  const pool = poolOf(1)
  const batcher = new ExaminationBatcher(rules, pool)
  const first = texts(5).map((request) => given(batcher, request))
  await turn()
  const later = texts(30).map((request) => given(batcher, request))
  await turn()
  await turn()
  assert.deepEqual(
    pool.given.map(({ requests }) => requests.length),
    [4],
  )
  pool.given.shift()?.answer()
  await Promise.all(first)
  await turn()
  assert.deepEqual(
    pool.given.map(({ requests }) => requests.length),
    [30],
  )
  pool.given.shift()?.answer()
  await Promise.all(later)
})

for (const [waiting, isReadHere] of [
  [128, false],
  [129, true],
] as const)
  test(`${waiting} that wait for a thread ${isReadHere ? 'are too many, and some are read here' : 'go on waiting'}`, async () => {
    const pool = poolOf(1)
    const batcher = new ExaminationBatcher(rules, pool)
    for (const request of texts(5)) given(batcher, request)
    await turn()
    let done = 0
    for (const request of texts(waiting)) void Promise.resolve(given(batcher, request)).then(() => (done += 1))
    await turn()
    await turn()
    assert.equal(done, isReadHere ? 4 : 0)
  })

test('with no thread free all are examined here, four in each turn', async () => {
  const batcher = new ExaminationBatcher(rules, poolOf(0))
  let done = 0
  const all = texts(15).map(async (request) => {
    await given(batcher, request)
    done += 1
  })
  const seen: number[] = []
  for (let at = 0; at < 4; at += 1) {
    await turn()
    seen.push(done)
  }
  await Promise.all(all)
  assert.deepEqual(seen, [5, 9, 13, 15])
})
