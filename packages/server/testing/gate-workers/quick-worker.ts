/** The shipped gate worker but for its practice, and it reads the rules when it is first asked: most tests ask its thread for
 *  nothing, and each start would take half a second of processor time. It has all the time it needs, so that no test meets a
 *  text that was held because the machine was busy. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules, rulesDigest } from '../../src/domain/gates/rules.ts'
import { examineBy } from '../../src/governance/workers/examination.ts'
import { serveExaminations } from '../../src/governance/workers/gate-thread.ts'
import { once } from '../../src/platform/once.ts'

const PATIENT_MS = 5000
const rules = once(() => loadRules(workerData))
serveExaminations(parentPort!, rulesDigest(workerData.gates), (request) => examineBy(rules(), request, PATIENT_MS))
