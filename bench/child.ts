// A measuring program in a process of its own: run once per round, prints one number as its last line.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Unavailable } from './scenario.ts'

export async function measureInChild(program: string, ...args: string[]): Promise<number> {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', file, ...args],
    {
      env: { ...process.env, NODE_ENV: 'production' },
      maxBuffer: 1 << 24,
    },
  )
  const value = Number(stdout.trim().split('\n').at(-1))
  if (!Number.isFinite(value)) throw new Unavailable(`${program} printed no number`)
  return value
}
