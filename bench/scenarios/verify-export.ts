// `orch verify` of a 100,000-receipt export as a user runs it, process start included, beside crypto.verify alone on all
// cores over the same signatures.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { measureInChild } from '../child.ts'
import { type Scenario, Unavailable } from '../scenario.ts'

const SIZE = 100_000
const CLI = fileURLToPath(new URL('../../packages/cli/orch.mjs', import.meta.url))
let made: Promise<string> | null = null

function exportFile(): Promise<string> {
  made ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orch-bench-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'ledger.jsonl')
    await measureInChild('./programs/make-export.ts', String(SIZE), file)
    return file
  })()
  return made
}

export const rawVerify: Scenario = {
  name: 'raw-verify',
  unit: 'signatures/s',
  async prepare() {
    const file = await exportFile()
    return { measure: () => measureInChild('./programs/raw-verify.ts', file), close: async () => undefined }
  },
}

export const verifyExport: Scenario = {
  name: 'verify-export',
  unit: 'receipts/s',
  ratioTo: 'raw-verify',
  bar: 0.7,
  goal: 0.9,
  async prepare() {
    const file = await exportFile()
    return {
      async measure() {
        const started = performance.now()
        const { stdout } = await promisify(execFile)(process.execPath, [
          CLI,
          'verify',
          file,
          '--key',
          `${file}.pem`,
          '--json',
        ])
        const elapsed = performance.now() - started
        // A verifier that did not look is fast: the figure counts only beside a report over every receipt.
        const { verdict, checks, subject } = JSON.parse(stdout)
        const signature = checks.find(({ check }: { check: string }) => check === 'signature')
        if (signature.status !== 'VERIFIED' || subject.receipts !== SIZE)
          throw new Unavailable(`the export was not verified: ${verdict}, ${signature.reason}`)
        return (SIZE / elapsed) * 1_000
      },
      close: async () => undefined,
    }
  },
}
