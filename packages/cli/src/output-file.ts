// A file that appears under its name when it is complete. Until then it is called .partial, and an interrupted command
// removes it.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { usage } from './exit.ts'

const FLUSH_AT = 256 * 1024

/** `fill` gets the writer; whatever ends it early leaves no file. */
export async function writeOutputFile(
  path: string,
  fill: (file: { write(text: string): void }) => Promise<void>,
): Promise<void> {
  const partial = `${path}.partial`
  const fd = open(partial)
  let buffered = ''
  const flush = () => {
    if (buffered !== '') writeSync(fd, buffered)
    buffered = ''
  }
  const write = (text: string) => {
    buffered += text
    if (buffered.length >= FLUSH_AT) flush()
  }
  try {
    await fill({ write })
  } catch (error) {
    closeSync(fd)
    rmSync(partial, { force: true })
    throw error
  }
  flush()
  fsyncSync(fd)
  closeSync(fd)
  renameSync(partial, path)
}

function open(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch (error) {
    throw usage(
      `FILE ${path} cannot be written (${(error as NodeJS.ErrnoException).code}): name one in a folder that exists, such as ./out.json`,
    )
  }
}
