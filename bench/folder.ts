import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own for a program of the bench, gone when the program ends. */
export function benchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
