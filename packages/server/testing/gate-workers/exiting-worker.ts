/** A gate worker that gets ready and ends with the first text. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules } from '../../src/domain/gates/rules.ts'
import { serveExaminations } from '../../src/governance/workers/gate-thread.ts'

serveExaminations(parentPort!, loadRules(workerData).digest, () => process.exit(1))
