// What the checkout is, which does not change while tests run. `npm test` asks once for all of its processes, others once for
// each: hashing every file and asking git takes half a second of processor time.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnvironment } from '../src/config/config.ts'
import { gatherBuildFacts } from '../src/features/identity/io/build-facts.ts'
import { systemClock } from '../src/platform/clock.ts'
import type { BuildFacts } from '../src/ports.ts'

const fileIn = (programs: string): string => join(programs, 'build-facts.json')

/** For all processes that are started with these programs. */
export function keepBuildFacts(programs: string): void {
  const settings = { gitSha: null, buildTime: null, gitEnvironment: gitEnvironment() }
  writeFileSync(fileIn(programs), JSON.stringify(gatherBuildFacts(settings, systemClock)))
}

const known = new Map<string, BuildFacts>()

export const sharedBuildFacts: typeof gatherBuildFacts = (settings, clock) => {
  const { gitSha, buildTime } = settings
  const name = JSON.stringify([gitSha, buildTime])
  const stored = fileIn(process.env.TEST_PROGRAMS ?? '')
  const isKept = gitSha === null && buildTime === null && existsSync(stored)
  const facts =
    known.get(name) ?? (isKept ? JSON.parse(readFileSync(stored, 'utf8')) : gatherBuildFacts(settings, clock))
  known.set(name, facts)
  return facts
}
