// A browser that lies, breaks its protocol or says nothing: the run stays the same and says that there was no replay.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import { documentStore } from '#testing/readings/reader.ts'
import { openOutbound } from '../../../../adapters/outbound/outbound.ts'
import { configured } from '../../../../adapters/outbound/providers.ts'
import { readConfig } from '../../../../config/config.ts'
import { realBrowser } from './replay.ts'

/** Unmasked, as a server sends it. */
function frame(text: string | Buffer, first = 0x81): Buffer {
  const payload = Buffer.from(text as string)
  const head = payload.length < 126 ? [first, payload.length] : [first, 126, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from(head), payload])
}

test('a hostile browser changes nothing but the reason why there is no replay', async (t) => {
  let version: () => { status?: number; headers?: Record<string, string>; text: string }
  let talk: (stream: Duplex, accept: string) => void
  const paths: string[] = []
  const usual = () => ({ text: JSON.stringify({ webSocketDebuggerUrl: 'ws://evil.example:1/devtools/browser/one' }) })
  const server = createServer((request, response) => {
    paths.push(request.url!)
    const { status = 200, headers = {}, text } = version()
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  })
  server.on('upgrade', (request, stream) => {
    paths.push(request.url!)
    stream.on('error', () => undefined)
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    talk(stream, createHash('sha1').update(key).digest('base64'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const cdp = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { url } = await startApp(t, { ORCH_STORE: 'memory', ORCH_ORGAN_N24_CDP: cdp })
  const run = async () => (await post(`${url}/api/orch/v1/organs/N24`, '{}')).json
  const accepted = (accept: string, more = '') =>
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n${more}\r\n`
  /** Sends this once the browser is asked something. */
  const saying =
    (...frames: Buffer[]) =>
    (stream: Duplex, accept: string) => {
      stream.write(accepted(accept))
      stream.once('data', () => stream.write(Buffer.concat(frames)))
    }
  const answer = (value: unknown) => frame(JSON.stringify(value))
  const VERSION = answer({ id: 1, result: { product: 'Fake/1' } })
  const long = Buffer.concat([Buffer.from([0x81, 127]), Buffer.from('7fffffffffffffff', 'hex')])
  const digests = new Set<string>()

  for (const [reason, isFound, isSaid] of [
    ['UPSTREAM_HTTP_302', () => ({ status: 302, headers: { location: 'https://evil.example/' }, text: '' }), null],
    ['UPSTREAM_HTTP_404', () => ({ status: 404, text: '{}' }), null],
    ['INVALID_JSON', () => ({ text: '{' }), null],
    ['NON_JSON_RESPONSE', () => ({ headers: { 'content-type': 'text/html' }, text: '{}' }), null],
    ['RESPONSE_TOO_LARGE', () => ({ text: JSON.stringify({ a: 'x'.repeat(20_000) }) }), null],
    ['INVALID_SOURCE_SCHEMA', () => ({ text: '{}' }), null],
    ['INVALID_SOURCE_SCHEMA', () => ({ text: '{"webSocketDebuggerUrl":"nowhere"}' }), null],
    ['UPSTREAM_HTTP_200', usual, (stream: Duplex) => stream.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')],
    [
      'UPSTREAM_HTTP_307',
      usual,
      (stream: Duplex) => stream.end('HTTP/1.1 307 x\r\nlocation: https://evil.example/\r\n\r\n'),
    ],
    ['INVALID_SOURCE_SCHEMA', usual, (stream: Duplex) => stream.write(accepted('guessed'))],
    [
      'INVALID_SOURCE_SCHEMA',
      usual,
      (stream: Duplex, accept: string) =>
        stream.write(accepted(accept, 'sec-websocket-extensions: permessage-deflate\r\n')),
    ],
    ['TRANSPORT_UNAVAILABLE', usual, (stream: Duplex) => stream.destroy()],
    ['TRANSPORT_UNAVAILABLE', usual, (stream: Duplex, accept: string) => stream.end(accepted(accept))],
    ['TRANSPORT_UNAVAILABLE', usual, saying(frame('', 0x88))],
    ['RESPONSE_TOO_LARGE', usual, saying(long)],
    [
      'RESPONSE_TOO_LARGE',
      usual,
      saying(...Array.from({ length: 100 }, (_, at) => frame('x'.repeat(60_000), at === 0 ? 0x01 : 0x00))),
    ],
    ['INVALID_SOURCE_SCHEMA', usual, saying(frame('{}', 0xc1))],
    ['INVALID_SOURCE_SCHEMA', usual, saying(frame('{}', 0x82))],
    ['INVALID_SOURCE_SCHEMA', usual, saying(frame('{}', 0x80))],
    ['INVALID_SOURCE_SCHEMA', usual, saying(Buffer.from([0x81, 0x82, 1, 2, 3, 4, 5, 6]))],
    ['INVALID_SOURCE_SCHEMA', usual, saying(frame('x'.repeat(126), 0x89))],
    ['INVALID_SOURCE_SCHEMA', usual, saying(frame('{', 0x01), frame('}', 0x81))],
    ['INVALID_SOURCE_TEXT', usual, saying(frame(Buffer.from([0xff, 0xfe])))],
    ['INVALID_JSON', usual, saying(frame('not json'))],
    ['INVALID_JSON', usual, saying(frame('['.repeat(100_000)))],
    ['INVALID_SOURCE_SCHEMA', usual, saying(frame('[]'))],
    ['INVALID_SOURCE_SCHEMA', usual, saying(answer({ id: 1, result: { product: 7 } }))],
    ['INCONSISTENT_SOURCE', usual, saying(answer({ id: 1, error: { message: 'the key is sk_live_x' } }))],
    ['INCONSISTENT_SOURCE', usual, saying(VERSION, answer({ id: 9, result: {} }), answer({ id: 2, error: {} }))],
    [
      'INVALID_SOURCE_SCHEMA',
      usual,
      saying(frame('ping', 0x89), VERSION, answer({ id: 2, result: { browserContextId: '' } })),
    ],
  ] as const) {
    version = isFound
    talk = isSaid ?? (() => assert.fail('nobody knows the address of the socket'))
    const { status, attachments, result_sha256 } = await run()
    digests.add(result_sha256)
    const [{ label, mode, value, reason: stated, source }] = attachments
    assert.deepEqual([status, label, mode, value, stated], ['EXECUTED', 'UNAVAILABLE', 'unreachable', null, reason])
    assert.equal(source, cdp)
  }
  // One that answers all that is asked and whose page never loads is left when it hangs up.
  version = usual
  talk = (stream, accept) => {
    stream.write(accepted(accept))
    let id = 0
    stream.on('data', () => {
      id += 1
      const result = { product: 'Fake/1', browserContextId: 'c', targetId: 't', sessionId: 's' }
      if (id < 9) stream.write(answer({ id, result }))
      else stream.end()
    })
  }
  const { attachments, result_sha256 } = await run()
  assert.equal(attachments[0].reason, 'TRANSPORT_UNAVAILABLE')
  digests.add(result_sha256)
  assert.equal(digests.size, 1)
  // Another host in its reply is not gone to: the path is asked for where the operator said.
  assert.ok(paths.includes('/devtools/browser/one'))
})

test('the browser is asked by the rules of the one way out', async () => {
  const clock = { now: () => 0, monotonic: () => performance.now() }
  const reasonOf = async (url: string, enabled = true) => {
    const providers = [configured('browser', [url])]
    const outbound = openOutbound({ enabled, privateHosts: [] }, providers, { store: documentStore(), clock })
    const ways = { exchange: outbound.exchange('browser'), converse: outbound.converse('browser') }
    const page = { html: '<p>x</p>', url: 'https://shop.example/', steps: [] }
    const attached = await realBrowser({ url, ...ways })(page, { signal: new AbortController().signal, now: clock.now })
    assert.deepEqual([attached.value, attached.label], [null, 'UNAVAILABLE'])
    return attached.reason
  }
  const DENIED = ['169.254.169.254', '10.0.0.1', '[::ffff:a00:1]', '0xa000001', '012.0.0.1', '167772161', '[fe80::1]']
  for (const path of ['/', '/devtools/browser/x']) {
    assert.equal(await reasonOf(`http://127.0.0.1:1${path}`), 'TRANSPORT_UNAVAILABLE')
    assert.equal(await reasonOf(`http://127.0.0.1:1${path}`, false), 'TRANSPORT_DISABLED')
    for (const host of DENIED) assert.equal(await reasonOf(`https://${host}${path}`), 'DESTINATION_DENIED', host)
  }
  for (const address of ['http://10.0.0.1:9222', 'ws://127.0.0.1:9222', 'file:///tmp/x', 'http://browser:9222'])
    assert.throws(() => readConfig({ ORCH_ORGAN_N24_CDP: address }), /ORCH_ORGAN_N24_CDP/)
})
