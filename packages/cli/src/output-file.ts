// A file that appears under its name when it is complete. Until then it is called .partial, and an interrupted command
// removes it.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { usage } from './exit.ts'

interface OutputFile {
  write(text: string): void
  /** Durable under its name. */
  finish(): void
  /** Nothing remains. */
  discard(): void
}

const FLUSH_AT = 256 * 1024

function openOutputFile(path: string): OutputFile {
  const partial = `${path}.partial`
  const fd = open(partial)
  let buffered = ''
  const flush = () => {
    if (buffered !== '') writeSync(fd, buffered)
    buffered = ''
  }
  return {
    write(text) {
      buffered += text
      if (buffered.length >= FLUSH_AT) flush()
    },
    finish() {
      flush()
      fsyncSync(fd)
      closeSync(fd)
      renameSync(partial, path)
    },
    discard() {
      closeSync(fd)
      rmSync(partial, { force: true })
    },
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch (error) {
    throw usage(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** `fill` gets the writer; whatever ends it early leaves no file. */
export async function writeOutputFile(path: string, fill: (file: OutputFile) => Promise<void>): Promise<void> {
  const file = openOutputFile(path)
  try {
    await fill(file)
  } catch (error) {
    file.discard()
    throw error
  }
  file.finish()
}
