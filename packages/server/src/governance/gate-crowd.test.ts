import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Examination } from '../domain/decision/examine.ts'
import { loadRules } from '../domain/gates/rules.ts'
import type { GateRequest } from '../governance-contract.ts'
import { examineBy } from './examination.ts'
import { GateCrowd } from './gate-crowd.ts'
import { RULES_FOLDER } from './gate-engine.ts'
import { readRuleFiles, ruleDocuments } from './rule-files.ts'

const rules = loadRules(ruleDocuments(await readRuleFiles(RULES_FOLDER)))
const asked = (text: string): GateRequest => ({
  ...{ text, direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' },
})
const texts = (count: number) => Array.from({ length: count }, (_, at) => asked(`text number ${at}`))

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
  const crowd = new GateCrowd(rules, pool)
  for (const request of texts(5)) {
    const examination = crowd.examine(request)
    assert.ok(!(examination instanceof Promise))
    await turn()
  }
  assert.equal(pool.given.length, 0)
})

for (const [together, handed] of [
  [4, []],
  [5, [4]],
  [17, [16]],
  [20, [16]],
  [21, [16, 4]],
  [60, [16, 16]],
] as const)
  test(`of ${together} that come together two free threads are handed ${handed.join(' and ') || 'none'}`, async () => {
    const pool = poolOf(2)
    const crowd = new GateCrowd(rules, pool)
    const all = texts(together).map((request) => crowd.examine(request))
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

test('with no thread free all are examined here, a few in each turn', async () => {
  const crowd = new GateCrowd(rules, poolOf(0))
  let done = 0
  const all = texts(9).map(async (request) => {
    await crowd.examine(request)
    done += 1
  })
  const seen: number[] = []
  for (let at = 0; at < 4; at += 1) {
    await turn()
    seen.push(done)
  }
  await Promise.all(all)
  assert.deepEqual(seen, [3, 5, 7, 9])
})
