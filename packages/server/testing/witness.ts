// A real witness process for tests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../src/ledger/tools/witness.ts', import.meta.url))

export interface WitnessProcess {
  url: string
  vkey: string
  port: string
  /** The crash no handler sees. */
  kill9(): Promise<void>
}

export async function startWitness(data: string, port = '0', more: readonly string[] = []): Promise<WitnessProcess> {
  const args = ['--disable-warning=ExperimentalWarning', MAIN, '--data', data, '--port', port, ...more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const exited = once(child, 'exit')
  // Whatever becomes of the test, the process does not outlive it.
  process.once('exit', () => child.kill('SIGKILL'))
  const found: Record<string, string> = {}
  for await (const line of createInterface({ input: child.stdout })) {
    const [word = '', ...rest] = line.split(/\s+/)
    found[word] = rest.at(-1) ?? ''
    if (word === 'key') break
  }
  if (found.witness === undefined || found.key === undefined) throw new Error(`the witness did not start: ${errors}`)
  return {
    url: found.witness,
    vkey: found.key,
    port: new URL(found.witness).port,
    async kill9() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
