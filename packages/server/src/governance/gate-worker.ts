/** The program of an examining thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules } from '../domain/gates/rules.ts'
import type { GateRequest } from '../governance-contract.ts'
import { examineBy } from './examination.ts'
import { serveExaminations } from './gate-thread.ts'

/** Something for most parts of the gates to read. */
const FIRST: GateRequest = {
  text: 'Tom&#39;s card 4111 1111 1111 1111, https://example.org/?q=SGVsbG8gd29ybGQsIGhlbGxv and “rm -rf /”',
  direction: 'input',
  origin: 'user',
  effect: 'none',
  declared: 'PUBLIC',
}

const rules = loadRules(workerData)
// Code that has never run is slow, and on a busy machine the first text would pass for one that hangs a thread.
examineBy(rules, FIRST)
serveExaminations(parentPort!, rules.digest, (request) => examineBy(rules, request))
