/** A gate worker that has other rules than it was given. */
import { parentPort } from 'node:worker_threads'
import { serveExaminations } from '../../src/governance/workers/gate-thread.ts'

serveExaminations(parentPort!, '0'.repeat(64), () => ({ stages: [] }))
