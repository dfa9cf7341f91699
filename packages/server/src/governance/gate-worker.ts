/** The program of an examining thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules } from '../domain/gates/rules.ts'
import { examineBy } from './examination.ts'
import { serveExaminations } from './gate-thread.ts'

const rules = loadRules(workerData)
serveExaminations(parentPort!, rules.digest, (request) => examineBy(rules, request))
