// bench/results.json, or another file of its kind, and the page that shows it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Recorded, writeReport } from './report.ts'
import { readSource } from './source.ts'

export const RESULTS_FILE = fileURLToPath(new URL('./results.json', import.meta.url))

export const readResults = (file: string): Recorded | undefined =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined

/** The page of the repository tells what its own file holds. */
export function writeResults(recorded: object, file: string): void {
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
  if (file === RESULTS_FILE) writeReport(recorded as Recorded)
}

/** What was found stands in the file under its section and name, everything else as it was. */
export async function recordEntry(
  section: 'account' | 'spread' | 'memory' | 'overload' | 'soak',
  name: string,
  file: string,
  measure: () => Promise<object>,
): Promise<void> {
  // As it is now: somebody may edit while this is measured.
  const source = readSource()
  const entry = { ...(await measure()), run_at: new Date().toISOString(), source }
  const previous = readResults(file)
  writeResults({ ...previous, [section]: { ...previous?.[section], [name]: entry } }, file)
}
