// RS(10,6) snapshots: ten shards, any six of which restore the data. GF(256) with polynomial 0x11D, generator 2;
// systematic, with a Cauchy parity matrix, every square part of which has an inverse. The code repairs loss, it does
// not authenticate: whoever can rewrite most shards can rewrite the snapshot, so its root is checked against the log.
import { canonicalize } from './canonical.ts'
import { sha256Hex } from './digest.ts'
import { utf8Decode, utf8Encode } from './encoding.ts'

export const DATA_SHARDS = 6
export const TOTAL_SHARDS = 10
const SNAPSHOT_SCHEMA = 'orch.snapshot/v1'
const MAX_HEADER_BYTES = 4096
const NEWLINE = 0x0a

export type SnapshotHeader = {
  schema: typeof SNAPSHOT_SCHEMA
  bytes: number
  sha256: string
  /** Index of the last receipt inside; -1 for an empty ledger. */
  node_index: number
  root: string
  shard_bytes: number
  shard_sha256: string[]
}
export type DecodeResult = { ok: true; data: Uint8Array } | { ok: false; reason: 'insufficient_shards' }
export type SnapshotReport = {
  ok: boolean
  reason: 'intact' | 'repaired' | 'no_header_majority' | 'insufficient_shards' | 'digest_mismatch'
  /** Shards that were missing or whose digest differs. */
  erased: number[]
  header?: SnapshotHeader
  data?: Uint8Array
}

const { exp, log } = powersOfTwo()
const times = Array.from({ length: 256 }, (_, factor) =>
  Uint8Array.from({ length: 256 }, (_, x) => multiply(factor, x)),
)

/** Rows 0 to 5 copy the data, rows 6 to 9 are parity: 1 / ((6 + i) XOR j). */
const GENERATOR: readonly (readonly number[])[] = Array.from({ length: TOTAL_SHARDS }, (_, row) =>
  Array.from({ length: DATA_SHARDS }, (_, j) => (row < DATA_SHARDS ? Number(row === j) : inverse(row ^ j))),
)

/** The data is zero-padded to a multiple of six and cut into six equal runs; parity follows. */
export function encodeShards(data: Uint8Array): Uint8Array[] {
  const length = shardBytes(data.length)
  const padded = new Uint8Array(length * DATA_SHARDS)
  padded.set(data)
  const dataShards = Array.from({ length: DATA_SHARDS }, (_, j) => padded.subarray(j * length, (j + 1) * length))
  return GENERATOR.map((row, i) => dataShards[i] ?? combine(row, dataShards, length))
}

/** `shards[i]` is shard i or null where it is lost; `bytes` is the length of the data without padding. */
export function decodeShards(shards: readonly (Uint8Array | null)[], bytes: number): DecodeResult {
  const length = shardBytes(bytes)
  if (shards.length !== TOTAL_SHARDS || shards.some((shard) => shard && shard.length !== length)) {
    throw new RangeError(`${bytes} bytes are ten shards of ${length} bytes each`)
  }
  const rows = [...shards.keys()].filter((i) => shards[i]).slice(0, DATA_SHARDS)
  if (rows.length < DATA_SHARDS) return { ok: false, reason: 'insufficient_shards' }
  const good = rows.map((i) => shards[i]!)
  const restore = invert(rows.map((i) => GENERATOR[i]!))
  const data = new Uint8Array(length * DATA_SHARDS)
  for (let j = 0; j < DATA_SHARDS; j += 1) data.set(shards[j] ?? combine(restore[j]!, good, length), j * length)
  return { ok: true, data: data.subarray(0, bytes) }
}

/** Each file is the canonical header, a newline, the shard number, a newline and the shard. */
export function packSnapshot(snapshot: { bytes: Uint8Array; node_index: number; root: string }): {
  header: SnapshotHeader
  files: Uint8Array[]
} {
  const shards = encodeShards(snapshot.bytes)
  const header: SnapshotHeader = {
    schema: SNAPSHOT_SCHEMA,
    bytes: snapshot.bytes.length,
    sha256: sha256Hex(snapshot.bytes),
    node_index: snapshot.node_index,
    root: snapshot.root,
    shard_bytes: shardBytes(snapshot.bytes.length),
    shard_sha256: shards.map((shard) => sha256Hex(shard)),
  }
  if (!isHeader(header)) throw new TypeError('a snapshot needs a node index from -1 up and a root of 64 hex digits')
  const files = shards.map((shard, i) => concat(utf8Encode(`${canonicalize(header)}\n${i}\n`), shard))
  freeBytes(shards)
  return { header, files }
}

/** Gives their memory back now, where the host can: outside the heap, megabytes do not make a collector hurry. Nobody may
 *  use them again. */
export function freeBytes(lists: readonly Uint8Array[]): void {
  for (const buffer of new Set(lists.map((list) => list.buffer)))
    if (buffer instanceof ArrayBuffer) (buffer as Partial<ArrayBuffer>).transfer?.(0)
}

/** Any file may be missing, damaged or forged, and they may come in any order: each says which shard it is. */
export function unpackSnapshot(files: readonly (Uint8Array | null)[]): SnapshotReport {
  if (files.length > TOTAL_SHARDS) throw new RangeError(`a snapshot has at most ${TOTAL_SHARDS} files`)
  const readable = files.map((file) => file && parseFile(file)).filter((file) => file !== null)
  const header = majorityHeader(readable)
  if (!header) return { ok: false, reason: 'no_header_majority', erased: [...GENERATOR.keys()] }
  const shards = header.shard_sha256.map((digest, i) => goodShard(readable, header, i, digest))
  const erased = [...shards.keys()].filter((i) => !shards[i])
  const decoded = decodeShards(shards, header.bytes)
  if (!decoded.ok) return { ok: false, reason: decoded.reason, erased, header }
  if (sha256Hex(decoded.data) !== header.sha256) return { ok: false, reason: 'digest_mismatch', erased, header }
  return { ok: true, reason: erased.length === 0 ? 'intact' : 'repaired', erased, header, data: decoded.data }
}

type ShardFile = { headerText: string; header: SnapshotHeader; index: number; shard: Uint8Array }

function parseFile(file: Uint8Array): ShardFile | null {
  const headerEnd = file.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE)
  const headerText = headerEnd < 0 ? null : utf8Decode(file.subarray(0, headerEnd))
  const header = headerText === null ? null : parseHeader(headerText)
  const index = (file[headerEnd + 1] ?? 0) - 0x30
  if (headerText === null || !header || index < 0 || index >= TOTAL_SHARDS || file[headerEnd + 2] !== NEWLINE)
    return null
  return { headerText, header, index, shard: file.subarray(headerEnd + 3) }
}

/** Only the canonical text counts, so that equal headers are equal strings. */
function parseHeader(text: string): SnapshotHeader | null {
  try {
    const value: unknown = JSON.parse(text)
    return isHeader(value) && canonicalize(value) === text ? value : null
  } catch (fault) {
    if (fault instanceof SyntaxError) return null
    throw fault
  }
}

const HEADER_FIELDS = ['bytes', 'node_index', 'root', 'schema', 'sha256', 'shard_bytes', 'shard_sha256']
const isHex = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

/** The sizes must agree with each other: a forged length must not make the reader allocate what no shard holds. */
function isHeader(value: unknown): value is SnapshotHeader {
  if (typeof value !== 'object' || value === null) return false
  const header = value as Record<keyof SnapshotHeader, unknown>
  if (Object.keys(header).sort().join() !== HEADER_FIELDS.join() || header.schema !== SNAPSHOT_SCHEMA) return false
  const { bytes, node_index: nodeIndex, shard_sha256: digests } = header
  if (!Number.isSafeInteger(bytes) || (bytes as number) < 0) return false
  if (!Number.isSafeInteger(nodeIndex) || (nodeIndex as number) < -1) return false
  if (header.shard_bytes !== shardBytes(bytes as number) || !isHex(header.sha256) || !isHex(header.root)) return false
  return Array.isArray(digests) && digests.length === TOTAL_SHARDS && digests.every(isHex)
}

/** More than half of the readable copies must be equal: a forged minority loses, a split vote restores nothing. */
function majorityHeader(files: readonly ShardFile[]): SnapshotHeader | null {
  const winner = files.find(({ headerText }) => {
    return files.filter((file) => file.headerText === headerText).length * 2 > files.length
  })
  return winner?.header ?? null
}

/** A good shard counts even in a file whose own header lost the vote. */
function goodShard(
  files: readonly ShardFile[],
  header: SnapshotHeader,
  index: number,
  digest: string,
): Uint8Array | null {
  const isGood = (file: ShardFile): boolean =>
    file.index === index && file.shard.length === header.shard_bytes && sha256Hex(file.shard) === digest
  return files.find(isGood)?.shard ?? null
}

const shardBytes = (bytes: number): number => Math.ceil(bytes / DATA_SHARDS)

/** One table look-up and one XOR for each byte. The loop stands here and not in a function of its own: V8 inlined that one
 *  in a way that made it three times slower from the 25th snapshot on. */
function combine(row: readonly number[], shards: readonly Uint8Array[], length: number): Uint8Array {
  const sum = new Uint8Array(length)
  for (let j = 0; j < row.length; j += 1) {
    if (row[j] === 0) continue
    const [table, shard] = [times[row[j]!]!, shards[j]!]
    for (let i = 0; i < length; i += 1) sum[i] = sum[i]! ^ table[shard[i]!]!
  }
  return sum
}

/** Gauss-Jordan over GF(256), where subtraction is XOR. */
function invert(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length
  const rows = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => Number(i === j))])
  for (let column = 0; column < size; column += 1) {
    const pivot = rows.findIndex((row, i) => i >= column && row[column] !== 0)
    if (pivot < 0) throw new Error('six rows of the generator matrix must be independent')
    ;[rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!]
    const scale = inverse(rows[column]![column]!)
    const lead = rows[column]!.map((x) => multiply(x, scale))
    for (const [i, row] of rows.entries()) {
      rows[i] = i === column ? lead : row.map((x, k) => x ^ multiply(lead[k]!, row[column]!))
    }
  }
  return rows.map((row) => row.slice(size))
}

/** Doubled, so that a sum of two logarithms needs no modulo. */
function powersOfTwo(): { exp: Uint8Array; log: Uint8Array } {
  const [exp, log] = [new Uint8Array(510), new Uint8Array(256)]
  for (let power = 0, x = 1; power < 255; power += 1) {
    exp[power] = x
    exp[power + 255] = x
    log[x] = power
    x = x < 128 ? x * 2 : (x * 2) ^ 0x11d
  }
  return { exp, log }
}

function multiply(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : exp[log[a]! + log[b]!]!
}

function inverse(x: number): number {
  return exp[255 - log[x]!]!
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const joined = new Uint8Array(head.length + tail.length)
  joined.set(head)
  joined.set(tail, head.length)
  return joined
}
