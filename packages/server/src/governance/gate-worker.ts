/** The program of an examining thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules, type Rules } from '../domain/gates/rules.ts'
import type { GateRequest } from '../governance-contract.ts'
import { examineBy } from './examination.ts'
import { serveExaminations } from './gate-thread.ts'

/** Something for most parts of the gates to read. */
const PRACTICE =
  'Tom&#39;s card 4539 5787 6362 1486, https://example.org/?q=SGVsbG8gd29ybGQsIGhlbGxv, "rm -rf /" Привет 😀 ｆｕｌｌ\u200b. '
const LENGTH = 30
const TIMES = 3

/** Code that has not run costs twice the processor: the first long text would be the one that passes for a hanging one. */
function practise(rules: Rules): void {
  const text = PRACTICE.repeat(LENGTH)
  const request: GateRequest = { text, direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' }
  for (let time = 0; time < TIMES; time++) examineBy(rules, request)
}

const rules = loadRules(workerData)
practise(rules)
serveExaminations(parentPort!, rules.digest, (request) => examineBy(rules, request))
