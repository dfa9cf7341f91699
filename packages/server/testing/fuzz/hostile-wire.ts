// What can be wrong around a body: headers, paths, methods, and bytes that are hardly HTTP.
import type { Random } from './random.ts'

export type Headers = Record<string, string | string[]>

export const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', 'TRACE', 'PROPFIND'] as const

const HEADERS: readonly (readonly [name: string, values: readonly (string | string[])[]])[] = [
  [
    'content-type',
    [
      'text/plain',
      'application/json; charset=utf-16',
      'application/json;charset=UTF-8',
      'application/json, text/html',
      'multipart/form-data; boundary=x',
      'APPLICATION/JSON',
      '',
      ';',
      '\u00ff',
    ],
  ],
  ['content-encoding', ['gzip', 'identity', 'br, gzip', '']],
  ['accept', ['text/event-stream', 'application/xml', '*/*;q=0', '']],
  ['authorization', ['Bearer', 'Bearer a b', 'Basic YTpi', `Bearer ${'x'.repeat(5000)}`, ['Bearer a', 'Bearer b']]],
  ['origin', ['null', 'http://evil.example', 'http://127.0.0.1']],
  ['sec-fetch-site', ['cross-site', 'same-origin', 'none', 'x']],
  ['host', ['evil.example', '[::1]', '', 'a b', '127.0.0.1:99999']],
  ['x-request-id', ['x', 'a'.repeat(128), 'a'.repeat(129), '<script>', '\u00e9', ['a', 'b']]],
  [
    'traceparent',
    ['00-0-0-00', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'ff'],
  ],
  ['tracestate', ['a=b', '='.repeat(600)]],
  [
    'idempotency-key',
    ['', 'k', 'a'.repeat(128), 'a'.repeat(255), 'a'.repeat(256), 'a'.repeat(257), '\u00e9', ['a', 'b'], '__proto__'],
  ],
  ['x-forwarded-for', ['1.2.3.4', '"', '::1, ::2']],
  ['x-forwarded-host', ['evil.example']],
  ['forwarded', ['for=_x;host=evil.example']],
  ['expect', ['100-continue']],
  ['range', ['bytes=0-0', 'bytes=-1', 'bytes=9-1']],
  ['if-none-match', ['*', '"x"', 'W/']],
  ['if-match', ['*', '"x"']],
  ['last-event-id', ['0', '-1', '99999999', 'x', '9'.repeat(40)]],
  ['cookie', ['a=b', '=;='.repeat(500)]],
  ['x-orch-review', ['x', '0'.repeat(64), '__proto__', '']],
  ['x-expected-source-revision', ['x', 'a'.repeat(40)]],
  ['x-http-method-override', ['DELETE']],
  ['x-filler', ['a'.repeat(8000), 'a'.repeat(15_000), 'a'.repeat(17_000)]],
  ['upgrade', ['websocket', 'h2c']],
  ['connection', ['close', 'keep-alive, x-request-id', 'upgrade']],
  ['te', ['trailers']],
  ['prefer', ['respond-async']],
]

export function hostileHeaders(random: Random): Headers {
  const headers: Headers = {}
  for (let round = random.below(3); round >= 0; round -= 1) {
    const [name, values] = random.pick(HEADERS)
    headers[name] = random.pick(values)
  }
  return headers
}

const SEGMENTS: readonly string[] = [
  '%',
  '%zz',
  '%00',
  '%c0%af',
  '%ff',
  '%ed%a0%80',
  '%2e%2e%2f%2e%2e%2f',
  '..',
  '.',
  '%2f',
  '%5c',
  ';a=b',
  'a'.repeat(100),
  'a'.repeat(501),
  'a'.repeat(9000),
  '%F0%9D%92%B3'.repeat(30),
  '__proto__',
  '*',
  '{id}',
  ':name',
]

/** The path damaged as text: a segment put in, a letter raised, a slash doubled. `path` has no query. */
export function hostilePath(path: string, random: Random): string {
  const ways: readonly (() => string)[] = [
    () => `${path}/`,
    () => `/${path}`,
    () => path.toUpperCase(),
    () => `${path}/${random.pick(SEGMENTS)}`,
    () => path.replace(/[^/]*$/, random.pick(SEGMENTS)),
    () => path.replace(/\/(?=[^/]*$)/, '//'),
    () => path.replace('/', '/./'),
    () => `${path}%3Fa=b`,
    () => `/${random.pick(SEGMENTS)}${path}`,
  ]
  return random.pick(ways)()
}

const QUERIES: readonly string[] = [
  '&&&',
  '=',
  '%',
  '%zz=%zz',
  'limit',
  'limit=',
  'limit=1&limit=2',
  'limit[]=1',
  'limit[__proto__]=1',
  '__proto__=1',
  '__proto__[polluted]=1',
  'constructor.prototype.x=1',
  'cursor=%00',
  `cursor=${'a'.repeat(5000)}`,
  `a=${'b'.repeat(15_000)}`,
  'a=b;c=d',
  '%F0%28%8C%BC=1',
]
export const hostileQuery = (random: Random): string => random.pick(QUERIES)

interface RawBytes {
  text: string
  /** A server can answer it: nothing more is to be waited for. */
  whole: boolean
}

/** Requests no client library would send. Latin-1: one character is one byte. */
export function rawRequest(method: string, path: string, random: Random): RawBytes {
  const head = (start: string, ...lines: string[]) =>
    [start, 'Host: 127.0.0.1', 'Connection: close', ...lines].join('\r\n')
  const whole = (text: string): RawBytes => ({ text: `${text}\r\n\r\n`, whole: true })
  const json = 'Content-Type: application/json'
  const ways: readonly (() => RawBytes)[] = [
    () => whole(head(`${method.toLowerCase()} ${path} HTTP/1.1`)),
    () => whole(head(`GET ${path} HTTP/9.9`)),
    () => whole(head(`GET ${path}`)),
    () => whole(head(`GET http://evil.example${path} HTTP/1.1`)),
    () => whole(head('OPTIONS * HTTP/1.1')),
    () => whole(head('CONNECT evil.example:443 HTTP/1.1')),
    () => whole(head(`GET ${path}\u0000 HTTP/1.1`)),
    () => whole(head(`GET ${path}?q=\u00e9\u00ff HTTP/1.1`)),
    () => whole(head(`GET ${path} HTTP/1.1`, 'X-Bad: a\u0000b')),
    () => whole(head(`GET ${path} HTTP/1.1`, 'X Bad: a')),
    () => whole(head(`GET ${path} HTTP/1.1`, ' folded: a')),
    () => whole(head(`GET ${path} HTTP/1.1`, 'Host: evil.example')),
    () => whole(`GET ${path} HTTP/1.1\r\nConnection: close`),
    () => whole(`GET ${path} HTTP/1.0`),
    () => whole(head(`GET ${path} HTTP/1.1`, ...Array.from({ length: 3000 }, (_, at) => `X-${at}: 1`))),
    () => whole(head(`GET ${path} HTTP/1.1`, `Cookie: ${'a'.repeat(20_000)}`)),
    () => whole(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: -1')),
    () => whole(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 2', 'Content-Length: 3')),
    () => whole(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 99999999999999999999')),
    () => ({ text: `${head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 5000')}\r\n\r\n{`, whole: false }),
    () => ({
      text: `${head(`POST ${path} HTTP/1.1`, json, 'Transfer-Encoding: chunked')}\r\n\r\n2\r\n{}\r\nzz\r\n`,
      whole: true,
    }),
    () => ({
      text: `${head(`POST ${path} HTTP/1.1`, json, 'Transfer-Encoding: chunked')}\r\n\r\nffffffffff\r\n{}`,
      whole: false,
    }),
    () => ({
      text: `${head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 2', 'Transfer-Encoding: chunked')}\r\n\r\n0\r\n\r\n`,
      whole: true,
    }),
    () => whole(head(`POST ${path} HTTP/1.1`, json, 'Transfer-Encoding: gzip, chunked')),
    () => ({ text: `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half`, whole: false }),
    () => ({ text: '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000', whole: true }),
    () => ({ text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', whole: true }),
  ]
  return random.pick(ways)()
}
