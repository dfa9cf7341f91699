/** Where log lines go: to a file descriptor, without anybody waiting for it. What cannot be written is dropped and counted,
 *  since a full disk or a reader that is gone is no reason to hold a request, a stop or the memory of this process. */
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Characters that may wait to be written. */
const MAX_WAITING = 1024 * 1024
/** Until a pipe that takes nothing now is tried again. */
const FULL_PIPE_MS = 50
const NEW_LINE = 10

export class LogOutput {
  readonly #fd: number
  #waiting = ''
  #isWriting = false
  /** Whether the last line that was written was cut off. */
  #isCut = false
  #dropped = 0

  constructor(fd: number) {
    this.#fd = fd
    process.once('exit', () => this.#writeLast())
  }

  write(lines: string): void {
    if (this.#waiting.length + lines.length > MAX_WAITING) this.#drop(lines)
    else this.#waiting += lines
    if (!this.#isWriting) void this.#writeOn()
  }

  async #writeOn(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting !== '') {
      const lines = this.#waiting
      this.#waiting = ''
      const left = await this.#leftOf(Buffer.from(this.#isCut ? `\n${lines}` : lines))
      if (left !== '') this.#drop(left)
      else if (this.#dropped > 0) this.#tellDropped()
    }
    this.#isWriting = false
  }

  #drop(lines: string): void {
    this.#dropped += lines.split('\n').filter((line) => line !== '').length
  }

  #tellDropped(): void {
    const line = { level: 'warn', ts: new Date().toISOString(), msg: 'log lines were dropped', lines: this.#dropped }
    this.#dropped = 0
    this.#waiting = `${JSON.stringify(line)}\n${this.#waiting}`
  }

  /** What could not be written. */
  async #leftOf(bytes: Buffer): Promise<string> {
    for (let at = 0; at < bytes.length; ) {
      const { error, count } = await writeSome(this.#fd, bytes.subarray(at))
      if (error?.code === 'EAGAIN') await pause(FULL_PIPE_MS, undefined, { ref: false })
      else if (error !== null) return bytes.toString('utf8', at)
      at += count
      if (count > 0) this.#isCut = bytes[at - 1] !== NEW_LINE
    }
    return ''
  }

  /** Once, and whatever becomes of it: a process that is asked to end ends. */
  #writeLast(): void {
    try {
      fs.writeSync(this.#fd, this.#waiting)
    } catch {
      // Nobody is left to tell.
    }
  }
}

const writeSome = (fd: number, bytes: Buffer): Promise<{ error: NodeJS.ErrnoException | null; count: number }> =>
  new Promise((resolve) => fs.write(fd, bytes, (error, count) => resolve({ error, count: error === null ? count : 0 })))
