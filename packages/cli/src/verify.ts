// The offline verifier of the command line: files in, reports out. It imports the core verifier and the file system and
// nothing else, so there is no network code that could run. Every byte it reads is the sender's.
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import {
  LEDGER_EXPORT_SCHEMA,
  LedgerExportVerifier,
  noEvidence,
  noInput,
  readHeaderLine,
  type Trust,
  utf8Decode,
  type VerificationReport,
  type VerifySignatures,
  verifyAny,
} from '@orch/core'

type VerifyOptions = {
  /** For large ledger exports; without it signatures are verified in this thread. */
  verifySignatures?: VerifySignatures
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
  /** A signed checkpoint from elsewhere, which a ledger export must cover. */
  checkpoint?: string | undefined
}

/** A file that cannot be read is the caller's mistake, not a verdict. */
export class FileFault extends Error {}

export const STDIN = '-'
/** Every format but the ledger export is one JSON value, read whole. */
const LARGEST_JSON = 64 * 1024 * 1024
/** No line of an export is longer. A longer one is cut, which no line survives. */
const MAX_LINE = 1_100_000
const CHUNK = 1024 * 1024
/** Small, so that at the end no thread is left with work while another has none; enough of them to keep all busy. */
const BATCH = 128
const IN_FLIGHT = 32
const NEWLINE = 0x0a

/** Patterns the shell left alone are expanded here, so that one without a match is nothing to verify and no success. */
export function expandPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (path === STDIN || existsSync(path)) return [path]
    if (PATTERN.test(path)) return filesLike(path).sort()
    throw new FileFault(`FILE ${path} does not exist: name a receipt, an export or a pack, such as receipt.json`)
  })
}

const PATTERN = /[*?[\]]/

/** `*` and `?` in any part of a path. Node 20 has no function for this; brackets are left to the shell. */
function filesLike(path: string): string[] {
  const [first = '', ...rest] = path.split('/')
  const begin = first === '' ? ['/'] : namesLike('', first)
  return rest.reduce(
    (folders, part) => folders.flatMap((folder) => namesLike(folder.replace(/\/?$/, '/'), part)),
    begin,
  )
}

function namesLike(folder: string, part: string): string[] {
  if (!PATTERN.test(part)) return existsSync(folder + part) ? [folder + part] : []
  if (!existsSync(folder || '.') || !statSync(folder || '.').isDirectory()) return []
  const literal = part.replace(/[^\w*?]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
  const like = new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su')
  const names = readdirSync(folder || '.').filter((name) => like.test(name) && (part[0] === '.' || name[0] !== '.'))
  return names.map((name) => folder + name)
}

export async function verifyPath(path: string, trust: Trust, options: VerifyOptions = {}): Promise<VerificationReport> {
  const chunks = chunksOf(path, options.signal)
  const start: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    start.push(chunk)
    size += chunk.length
    // The first line tells an export from everything else; only the chunk that may end it is looked at.
    if (chunk.includes(NEWLINE) || size > MAX_LINE) {
      const head = Buffer.concat(start)
      if (isLedgerExport(head)) return verifyLines(head, chunks, trust, options)
      return verifyWhole(head, chunks, trust)
    }
  }
  const all = Buffer.concat(start)
  return isLedgerExport(all) ? verifyLines(all, [], trust, options) : verifyWhole(all, [], trust)
}

type Chunks = AsyncIterator<Uint8Array> & AsyncIterable<Uint8Array>

/** One iterator that several loops take turns with. Waiting for stdin ends when the caller has had enough. */
function chunksOf(path: string, signal: AbortSignal | undefined): Chunks {
  const iterator = path === STDIN ? readStdin() : readFile(path)
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => undefined)
  const next = () => Promise.race([iterator.next(), aborted])
  return { next, [Symbol.asyncIterator]: () => ({ next }) }
}

/** Not by descriptor: a read that blocks in a thread would hold up the end of the process. */
async function* readStdin(): AsyncGenerator<Uint8Array> {
  yield* process.stdin as AsyncIterable<Uint8Array>
}

/** Plain reads: a stream would copy every byte once more and hand out smaller pieces. */
async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const fd = openFile(path)
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK)
      const count = readSync(fd, buffer)
      if (count === 0) return
      yield buffer.subarray(0, count)
    }
  } finally {
    closeSync(fd)
  }
}

function openFile(path: string): number {
  try {
    if (statSync(path).isDirectory()) throw new FileFault(`${path} is a folder`)
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof FileFault) throw error
    throw new FileFault(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function isLedgerExport(head: Buffer): boolean {
  const end = head.indexOf(NEWLINE)
  const first = end < 0 ? head : head.subarray(0, end)
  if (!first.includes(`"schema":"${LEDGER_EXPORT_SCHEMA}"`)) return false
  // Line ends that a transfer changed are for the verifier to name.
  return readHeaderLine((utf8Decode(first) ?? '').replace(/\r$/, '')) !== null
}

async function verifyWhole(
  head: Uint8Array,
  rest: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  trust: Trust,
): Promise<VerificationReport> {
  const parts = [head]
  let size = head.length
  for await (const chunk of rest) {
    size += chunk.length
    if (size > LARGEST_JSON)
      return noEvidence('unknown', 'the file is larger than 64 MiB and no ledger export', trust.checkedAt)
    parts.push(chunk)
  }
  return size === 0 ? noInput('unknown', 'the file is empty', trust.checkedAt) : verifyAny(Buffer.concat(parts), trust)
}

async function verifyLines(
  head: Buffer,
  rest: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  trust: Trust,
  { verifySignatures, onProgress, signal, checkpoint }: VerifyOptions,
): Promise<VerificationReport> {
  const delegated = verifySignatures && { verifySignatures, batch: BATCH, inFlight: IN_FLIGHT }
  const checkpointOption = checkpoint === undefined ? {} : { checkpoint }
  const verifier = new LedgerExportVerifier(trust, { ...(delegated ?? { batch: BATCH }), ...checkpointOption })
  const lines = new Lines()
  const take = async (chunk: Uint8Array): Promise<void> => {
    for (const line of lines.push(chunk)) {
      const full = verifier.push(line)
      if (full) await full
    }
    signal?.throwIfAborted()
    const { lines: done, size } = verifier.progress
    if (size !== null) onProgress?.(Math.min(size, Math.max(0, done - 1)), size)
  }
  await take(head)
  for await (const chunk of rest) await take(chunk)
  const last = lines.end()
  if (last !== null) await verifier.push(last)
  return verifier.finish()
}

/**
 * Lines of a chunked file. Receipt lines and the footer are ASCII, where one byte is one character and any other byte
 * fits no line; the header may hold UTF-8 and is decoded strictly.
 */
class Lines {
  private rest: Uint8Array[] = []
  private restSize = 0
  private isFirst = true

  push(chunk: Uint8Array): string[] {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const lines: string[] = []
    let start = 0
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
      lines.push(this.complete(buffer.subarray(start, end)))
      start = end + 1
    }
    this.keep(buffer.subarray(start))
    return lines
  }

  /** What follows the last newline; null when nothing does. */
  end(): string | null {
    return this.restSize === 0 && !this.isFirst ? null : this.complete(Buffer.alloc(0))
  }

  private keep(part: Uint8Array): void {
    if (part.length === 0 || this.restSize > MAX_LINE) return
    this.rest.push(part)
    this.restSize += part.length
  }

  private complete(part: Buffer): string {
    this.keep(part)
    const bytes = this.rest.length === 1 ? (this.rest[0] as Buffer) : Buffer.concat(this.rest)
    this.rest = []
    this.restSize = 0
    if (!this.isFirst) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    this.isFirst = false
    return utf8Decode(bytes) ?? ''
  }
}
