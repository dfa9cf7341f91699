// The reference signer as a process of its own on a Unix socket: a service that signs through it has a production key.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Scope } from './layer.ts'
import { freshFolder } from './private-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../../examples/reference-signer.ts', import.meta.url))

interface ReferenceSigner {
  /** What a service needs to sign with it. */
  env: Record<string, string>
  /** Ends it before the test does. */
  kill(): Promise<void>
}

export async function startReferenceSigner(scope: Scope): Promise<ReferenceSigner> {
  const folder = freshFolder('signer')
  const url = `unix:${join(folder, 's')}`
  const child = spawn(process.execPath, [PROGRAM, join(folder, 'key.pem'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  scope.after(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await once(child.stdout, 'data')
  const key = readFileSync(join(folder, 'key.pem.pub'), 'utf8')
  return { env: { ORCH_SIGNER: 'external', ORCH_SIGNER_URL: url, ORCH_SIGNER_PUBLIC_KEY: key }, kill }
}
