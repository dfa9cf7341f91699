// `npm run release:records`: executes the declared checks over the commit that is checked out and writes what came of
// them to release-checks.json, and the bill of materials to sbom.json. Both are read back before the run counts.
// Arguments: --only check,check. What is not executed in the run is absent from the record, and absent is not passed.
import { parseArgs } from 'node:util'
import { DECLARED_CHECKS } from '../packages/server/src/features/identity/contract.ts'
import { ROOT } from '../packages/server/src/features/identity/io/build-facts.ts'
import { systemClock } from '../packages/server/src/platform/clock.ts'
import { CHECKS } from './release/checks.ts'
import { CHECKS_FILE, ReleaseRefused, runRelease } from './release/run.ts'

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const wanted: readonly string[] = values.only?.split(',') ?? DECLARED_CHECKS
const unknown = wanted.filter((name) => !(DECLARED_CHECKS as readonly string[]).includes(name))

const refuse = (sentence: string): void => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

if (unknown.length > 0) refuse(`unknown check ${unknown.join(', ')}; known: ${DECLARED_CHECKS.join(', ')}`)
else
  try {
    const checks = Object.fromEntries(Object.entries(CHECKS).filter(([name]) => wanted.includes(name)))
    const report = (line: string) => void process.stdout.write(`${line}\n`)
    const results = await runRelease({ root: ROOT, checks, now: systemClock.now, report })
    const passed = Object.values(results).filter((result) => result === 'PASSED').length
    report(`${passed}/${DECLARED_CHECKS.length} passed; ${CHECKS_FILE} reads back as written`)
    if (!wanted.every((name) => results[name] === 'PASSED')) process.exitCode = 1
  } catch (error) {
    if (!(error instanceof ReleaseRefused)) throw error
    refuse(error.message)
  }
