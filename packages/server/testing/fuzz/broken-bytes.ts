// Bodies that are no strict JSON, or only just.
import type { Random } from './random.ts'

const utf8 = new TextEncoder()
const bytesOf = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part === 'string' ? utf8.encode(part) : part)]))

const FIXED: readonly Uint8Array[] = [
  bytesOf(''),
  bytesOf(' \n\t'),
  bytesOf('{'),
  bytesOf('}'),
  bytesOf('null'),
  bytesOf('[]'),
  bytesOf('"text"'),
  bytesOf('NaN'),
  bytesOf('{"a":Infinity}'),
  bytesOf('{"a":1e400}'),
  bytesOf('{"a":-0.0}'),
  bytesOf('{"a":01}'),
  bytesOf('{"a":1,"a":2}'),
  bytesOf('{"__proto__":{"polluted":true}}'),
  bytesOf('{"__proto__":1,"__proto__":2}'),
  bytesOf('{"constructor":{"prototype":{"polluted":true}}}'),
  bytesOf("{'a':1}"),
  bytesOf('{"a":1,}'),
  bytesOf('{/* c */"a":1}'),
  bytesOf('{"a":"\\ud800"}'),
  bytesOf('{"a":"\\u0000"}'),
  bytesOf('{"a":"\u0000"}'),
  bytesOf('{"a":"', [0xff, 0xfe], '"}'),
  bytesOf('{"a":"', [0xed, 0xa0, 0x80], '"}'),
  bytesOf('{"a":"', [0xc0, 0xaf], '"}'),
  bytesOf('{"a":"', [0xf4, 0x90, 0x80, 0x80], '"}'),
  bytesOf([0xef, 0xbb, 0xbf], '{}'),
  bytesOf([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  bytesOf([0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00]),
  bytesOf(`{"a":${'1'.repeat(30_000)}}`),
  bytesOf(`{"a":0.${'1'.repeat(30_000)}}`),
  ...[63, 64, 65, 10_000].flatMap((depth) => [
    bytesOf('['.repeat(depth), ']'.repeat(depth)),
    bytesOf('{"a":'.repeat(depth), '1', '}'.repeat(depth)),
    bytesOf('['.repeat(depth)),
  ]),
]

/** `text` is the JSON of a body that fits; what comes back is that body damaged, or no JSON at all. */
export function brokenBytes(text: string, limit: number, random: Random): Uint8Array {
  const ways: readonly (() => Uint8Array)[] = [
    () => random.pick(FIXED),
    () => utf8.encode(text.slice(0, random.below(text.length + 1))),
    () => damaged(utf8.encode(text), random),
    () => utf8.encode(text + random.pick([' ', 'x', '{}', '\u0000', ',', ']'])),
    () => padded(text, limit + random.pick([-1, 0, 1, 4096])),
    () => utf8.encode(text.replace(/"([^"]+)":/, '"$1":0,"$1":')),
  ]
  return random.pick(ways)()
}

function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice()
  for (let round = random.below(3); round >= 0 && copy.length > 0; round -= 1)
    copy[random.below(copy.length)] = random.below(256)
  return copy
}

/** White space up to an exact number of bytes: a limit counts what was sent, not what it says. */
const padded = (text: string, bytes: number): Uint8Array =>
  utf8.encode(text + ' '.repeat(Math.max(0, bytes - utf8.encode(text).length)))
