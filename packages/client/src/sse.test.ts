import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type SseEvent, SseParser } from './sse.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('events are the same however the bytes are cut', () => {
  const stream =
    ': hello\r\n\r\nid: 1\r\nevent: receipt\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\nid: 2\ndata: x\n\ndata:y\r\r'
  const whole = new SseParser().push(bytes(`${stream}\n`))
  assert.deepEqual(whole, [
    { id: '1', event: 'receipt', data: '{"a":\n"ü"}' },
    { id: '2', event: 'message', data: 'x' },
    { id: '2', event: 'message', data: 'y' },
  ])
  const all = bytes(`${stream}\n`)
  fc.assert(
    fc.property(fc.array(fc.nat(all.length), { maxLength: 12 }), (cuts) => {
      const parser = new SseParser()
      const found: SseEvent[] = []
      const places = [0, ...cuts.sort((a, b) => a - b), all.length]
      for (let i = 1; i < places.length; i += 1) found.push(...parser.push(all.slice(places[i - 1], places[i])))
      assert.deepEqual(found, whole)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('an event without end is refused before it fills the memory', () => {
  const parser = new SseParser()
  assert.throws(() => {
    for (let i = 0; i < 40; i += 1) parser.push(bytes(`data: ${'x'.repeat(65_536)}\n`))
  }, RangeError)
})

test('a line without end is refused as well', () => {
  const parser = new SseParser()
  assert.throws(() => {
    for (let i = 0; i < 40; i += 1) parser.push(bytes('x'.repeat(65_536)))
  }, RangeError)
})
