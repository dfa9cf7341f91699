import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalize } from './canonical.ts'
import { decodeShards, encodeShards, packSnapshot, type SnapshotHeader, unpackSnapshot } from './erasure.ts'

const ROOT = 'ab'.repeat(32)
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const hexOf = (shards: readonly Uint8Array[]): string =>
  shards.map((shard) => Buffer.from(shard).toString('hex')).join(' ')
const data = Uint8Array.from({ length: 1000 }, (_, i) => (i * 37 + (i >> 3)) & 255)
const pack = (): { header: SnapshotHeader; files: Uint8Array[] } =>
  packSnapshot({ bytes: data, node_index: 999, root: ROOT })

/** Every way to choose k of the ten shards. */
function patterns(k: number, from = 0): number[][] {
  if (k === 0) return [[]]
  return Array.from({ length: 10 - from }, (_, i) => from + i).flatMap((first) =>
    patterns(k - 1, first + 1).map((rest) => [first, ...rest]),
  )
}
const without = <T>(items: readonly T[], lost: readonly number[]): (T | null)[] =>
  items.map((item, i) => (lost.includes(i) ? null : item))

function withHeader(file: Uint8Array, header: unknown): Uint8Array {
  const rest = file.subarray(file.indexOf(10))
  return new Uint8Array(Buffer.concat([Buffer.from(canonicalize(header)), rest]))
}
function flipped(file: Uint8Array, at: number): Uint8Array {
  const copy = new Uint8Array(file)
  copy[at] = copy[at]! ^ 1
  return copy
}

test('the parity rows are the published Cauchy rows', () => {
  const columns = Array.from({ length: 6 }, (_, j) =>
    encodeShards(Uint8Array.from({ length: 6 }, (_, i) => Number(i === j))),
  )
  const rows = [6, 7, 8, 9].map((row) => hexOf(columns.map((shards) => shards[row]!)))
  assert.deepEqual(rows, ['7a ba 47 a7 8e f4', 'ba 7a a7 47 f4 8e', 'ad 9d dd 98 3d aa', '9d ad 98 dd aa 3d'])
})

test('the published data give the published parity', () => {
  assert.equal(hexOf(encodeShards(bytesOf('01 02 03 04 05 06'))), '01 02 03 04 05 06 f2 bb b8 8a')
  assert.equal(hexOf(encodeShards(bytesOf('53 53 53 53 53 53')).slice(6)), '24 24 9f 9f')
})

test('all 210 four-erasure patterns decode', () => {
  const shards = encodeShards(data)
  const lost = patterns(4)
  assert.equal(lost.length, 210)
  for (const pattern of lost) {
    assert.deepEqual(decodeShards(without(shards, pattern), data.length), { ok: true, data }, String(pattern))
  }
})

test('all 252 five-erasure patterns are refused', () => {
  const shards = encodeShards(data)
  const lost = patterns(5)
  assert.equal(lost.length, 252)
  for (const pattern of lost) {
    const refused = { ok: false, reason: 'insufficient_shards' }
    assert.deepEqual(decodeShards(without(shards, pattern), data.length), refused, String(pattern))
  }
})

test('data of any length come back, and the padding never does', () => {
  const cases = fc.tuple(fc.uint8Array({ maxLength: 200 }), fc.subarray([...Array(10).keys()], { maxLength: 4 }))
  fc.assert(
    fc.property(cases, ([bytes, lost]) => {
      const decoded = decodeShards(without(encodeShards(bytes), lost), bytes.length)
      assert.deepEqual(decoded, { ok: true, data: bytes })
    }),
    { seed: 3 },
  )
})

test('shards of another length or number are misuse', () => {
  const shards = encodeShards(data)
  assert.throws(() => decodeShards(shards.slice(1), data.length), RangeError)
  assert.throws(() => decodeShards(shards, data.length + 6), RangeError)
})

test('a whole snapshot comes back intact, in any order of files', () => {
  const { header, files } = pack()
  assert.deepEqual(unpackSnapshot(files), { ok: true, reason: 'intact', erased: [], header, data })
  assert.deepEqual(unpackSnapshot(files.toReversed()).data, data)
  assert.deepEqual(Object.keys(header).sort(), [
    'bytes',
    'node_index',
    'root',
    'schema',
    'sha256',
    'shard_bytes',
    'shard_sha256',
  ])
})

test('an empty ledger has a snapshot too', () => {
  const { files } = packSnapshot({ bytes: new Uint8Array(0), node_index: -1, root: ROOT })
  assert.deepEqual(unpackSnapshot(without(files, [0, 1, 2, 3])).data, new Uint8Array(0))
})

test('four lost files are repaired and five are refused', () => {
  const { files } = pack()
  const four = unpackSnapshot(without(files, [0, 2, 5, 9]))
  assert.deepEqual([four.reason, four.erased, four.data], ['repaired', [0, 2, 5, 9], data])
  const five = unpackSnapshot(without(files, [0, 2, 5, 7, 9]))
  assert.deepEqual(
    [five.ok, five.reason, five.erased, five.data],
    [false, 'insufficient_shards', [0, 2, 5, 7, 9], undefined],
  )
})

test('one flipped bit in any shard is found by its digest and repaired', () => {
  const { files } = pack()
  for (const index of files.keys()) {
    const report = unpackSnapshot(files.with(index, flipped(files[index]!, files[index]!.length - 1)))
    assert.deepEqual([report.reason, report.erased, report.data], ['repaired', [index], data])
  }
})

test('a flipped bit anywhere in one file never changes what is restored', () => {
  const { files } = pack()
  for (let at = 0; at < files[3]!.length; at += 1) {
    const report = unpackSnapshot(files.with(3, flipped(files[3]!, at)))
    assert.deepEqual([report.ok, report.data], [true, data], `byte ${at}`)
  }
})

test('a shard that is cut or grown is an erasure', () => {
  const { files } = pack()
  const grown = new Uint8Array([...files[1]!, 0])
  const report = unpackSnapshot(files.with(0, files[0]!.slice(0, -1)).with(1, grown))
  assert.deepEqual([report.reason, report.erased, report.data], ['repaired', [0, 1], data])
})

test('a file that lies about its shard number is an erasure', () => {
  const { files } = pack()
  const liar = new Uint8Array(files[4]!)
  liar[liar.indexOf(10) + 1] = 0x35
  const report = unpackSnapshot(files.with(4, liar))
  assert.deepEqual([report.reason, report.erased], ['repaired', [4]])
})

test('a forged header is outvoted while it is a minority, and its shard still counts', () => {
  const { header, files } = pack()
  const forged = { ...header, node_index: 5, root: 'cd'.repeat(32) }
  const four = files.map((file, i) => (i < 4 ? withHeader(file, forged) : file))
  assert.deepEqual(unpackSnapshot(four), { ok: true, reason: 'intact', erased: [], header, data })
})

test('a split vote over the header restores nothing', () => {
  const { header, files } = pack()
  const forged = { ...header, node_index: 5 }
  const report = unpackSnapshot(files.map((file, i) => (i < 5 ? withHeader(file, forged) : file)))
  assert.deepEqual([report.ok, report.reason, report.data], [false, 'no_header_majority', undefined])
  assert.equal(unpackSnapshot([]).reason, 'no_header_majority')
})

test('a header whose whole digest differs is refused even when every shard is good', () => {
  const { header, files } = pack()
  const report = unpackSnapshot(files.map((file) => withHeader(file, { ...header, sha256: ROOT })))
  assert.deepEqual([report.ok, report.reason, report.data], [false, 'digest_mismatch', undefined])
})

test('a header that is not exactly the schema is not a vote', () => {
  const { header, files } = pack()
  const { root: _root, ...rootless } = header
  const broken: unknown[] = [
    { ...header, extra: 1 },
    rootless,
    { ...header, bytes: 2 ** 52 },
    { ...header, bytes: -1 },
    { ...header, bytes: '1000' },
    { ...header, shard_bytes: header.shard_bytes + 1 },
    { ...header, node_index: -2 },
    { ...header, sha256: header.sha256.toUpperCase() },
    { ...header, shard_sha256: header.shard_sha256.slice(1) },
    { ...header, schema: 'orch.snapshot/v2' },
    [header],
    null,
  ]
  for (const forged of broken) {
    const report = unpackSnapshot(files.map((file) => withHeader(file, forged)))
    assert.equal(report.reason, 'no_header_majority', JSON.stringify(forged))
  }
  const spaced = (file: Uint8Array): Uint8Array => new Uint8Array(Buffer.concat([Buffer.from(' '), file]))
  assert.equal(unpackSnapshot(files.map(spaced)).reason, 'no_header_majority')
})

test('files of noise give a report, never an exception', () => {
  const noise = fc.array(fc.option(fc.uint8Array({ maxLength: 64 })), { maxLength: 10 })
  fc.assert(
    fc.property(noise, (files) => assert.equal(unpackSnapshot(files).ok, false)),
    { seed: 4 },
  )
})

test('packing with a root or index that is none is misuse', () => {
  assert.throws(() => packSnapshot({ bytes: data, node_index: 1, root: 'xyz' }), TypeError)
  assert.throws(() => packSnapshot({ bytes: data, node_index: -2, root: ROOT }), TypeError)
})

test('a snapshot is packed on a host that cannot give memory back early', () => {
  const own = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'transfer')!
  Reflect.deleteProperty(ArrayBuffer.prototype, 'transfer')
  try {
    const data = Uint8Array.of(1, 2, 3)
    assert.deepEqual(unpackSnapshot(packSnapshot({ bytes: data, node_index: 0, root: ROOT }).files).data, data)
  } finally {
    Object.defineProperty(ArrayBuffer.prototype, 'transfer', own)
  }
})
