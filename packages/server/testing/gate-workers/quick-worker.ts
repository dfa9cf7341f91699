/** The shipped gate worker with a short practice text: the long one costs every start of a test a quarter of a second. It
 *  has all the time it needs, so that no test meets a text that was held because the machine was busy. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules } from '../../src/domain/gates/rules.ts'
import { examineBy, warmUp } from '../../src/governance/workers/examination.ts'
import { serveExaminations } from '../../src/governance/workers/gate-thread.ts'

const PATIENT_MS = 5000
const rules = loadRules(workerData)
warmUp(rules)
serveExaminations(parentPort!, rules.digest, (request) => examineBy(rules, request, PATIENT_MS))
