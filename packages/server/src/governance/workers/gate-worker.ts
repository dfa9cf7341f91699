/** The program of a gate worker. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules } from '../../domain/gates/rules.ts'
import { examineBy, warmUp } from './examination.ts'
import { serveExaminations } from './gate-thread.ts'

/** Repeats of the practice text: these threads are for long ones. */
const LONG = 30

const rules = loadRules(workerData)
warmUp(rules, LONG)
serveExaminations(parentPort!, rules.digest, (request) => examineBy(rules, request))
