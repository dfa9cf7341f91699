import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EventStreamFault, eventData, MAX_EVENT_BYTES } from './event-stream.ts'

async function* partsOf(bytes: Uint8Array, cuts: number[]): AsyncGenerator<Uint8Array> {
  const marks = [0, ...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].sort((a, b) => a - b)
  for (let at = 1; at < marks.length; at += 1) yield bytes.subarray(marks[at - 1], marks[at])
}
const read = (text: string, cuts: number[] = []) =>
  Array.fromAsync(eventData(partsOf(new TextEncoder().encode(text), cuts)))

test('events are the same whatever the cuts and the line endings', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.stringMatching(/^[\u{20}-\u{7e}\u{e9}\u{1F600}]{0,20}$/u), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(400), { maxLength: 30 }),
      async (lines, ending, cuts) => {
        const text = lines.map((line) => `data: ${line}${ending}${ending}`).join('')
        assert.deepEqual(await read(text, cuts), lines)
      },
    ),
    { seed: 31, numRuns: 300 },
  )
})

test('several data lines are one event; comments and other fields are none', async () => {
  assert.deepEqual(await read(': hello\n\nevent: x\nid: 1\ndata: a\ndata:b\ndata\n\nretry: 5\n\n'), ['a\nb\n'])
})

test('an event without its empty line is not one', async () => {
  assert.deepEqual(await read('data: a\n\ndata: b\n'), ['a'])
})

test('a byte order mark at the beginning is no part of the first line', async () => {
  assert.deepEqual(await read('\uFEFFdata: a\n\n'), ['a'])
})

test('a line or an event without end is given up', async () => {
  await assert.rejects(read(`data: ${'a'.repeat(MAX_EVENT_BYTES + 1)}`, [100, 5000]), EventStreamFault)
  await assert.rejects(read(`data: ${'a'.repeat(1000)}\n`.repeat(1100)), EventStreamFault)
})

test('a long line that comes byte by byte costs no more than its length', async () => {
  const text = `data: ${'a'.repeat(60_000)}\n\n`
  const parts = async function* () {
    for (const byte of new TextEncoder().encode(text)) yield Uint8Array.of(byte)
  }
  assert.equal((await Array.fromAsync(eventData(parts())))[0]?.length, 60_000)
})

test('bytes that are not UTF-8 are no text', async () => {
  const parts = async function* () {
    yield Uint8Array.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a])
  }
  await assert.rejects(Array.fromAsync(eventData(parts())), EventStreamFault)
})
