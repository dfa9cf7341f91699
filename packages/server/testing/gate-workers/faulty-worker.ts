/** A gate worker that fails in the way the text asks for; what it is not asked to fail at, it examines. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadRules } from '../../src/domain/gates/rules.ts'
import { examineBy } from '../../src/governance/workers/examination.ts'
import { serveExaminations } from '../../src/governance/workers/gate-thread.ts'
import { type Fault, withFault } from './broken-rules.ts'

/** All the time it needs, but where it is asked to be slow. */
const PATIENT_MS = 5000
const rules = loadRules(workerData)

const FAULTS: Record<string, () => unknown> = {
  // Never ends, and leaves the processor to others meanwhile.
  'HANG ': () => {
    for (const cell = new Int32Array(new SharedArrayBuffer(4)); ; ) Atomics.wait(cell, 0, 0, 1)
  },
  'THROW ': () => {
    throw new Error('a thread that fails')
  },
  'EXIT ': () => process.exit(0),
  'NONSENSE ': () => ({ stages: [] }),
  'NOTHING ': () => undefined,
  'MEMORY ': () => {
    const arrays: unknown[] = []
    // Numbers, since a collector would follow every reference to an object again and again.
    for (;;) arrays.push(new Array(1_000_000).fill(0.5))
  },
  'UNCLONABLE ': () => () => 0,
}

serveExaminations(parentPort!, rules.digest, (request) => {
  const fault = Object.entries(FAULTS).find(([word]) => request.text.startsWith(word))
  if (fault !== undefined) return fault[1]()
  const [, gate, kind] = /^FAULT (\S+) (\S+) /.exec(request.text) ?? []
  if (gate === undefined) return examineBy(rules, request, PATIENT_MS)
  const faulty = withFault(rules, gate as Fault['gate'], kind as Fault['kind'])
  return examineBy(faulty, request, kind === 'slow' ? undefined : PATIENT_MS)
})
