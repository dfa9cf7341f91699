import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  base64Decode,
  base64Encode,
  base64urlDecode,
  base64urlEncode,
  hexDecode,
  hexEncode,
  pemDecode,
  pemEncode,
  textCodecs,
  utf8Decode,
  utf8Encode,
} from './encoding.ts'

const anyBytes = fc.uint8Array({ maxLength: 200 })

test('base64 has one spelling: padding, trailing bits, alphabet and white space are all judged', () => {
  assert.deepEqual(base64Decode('/+8='), Uint8Array.of(0xff, 0xef))
  assert.deepEqual(base64Decode(''), new Uint8Array(0))
  for (const text of [
    '/+8',
    '/+9=',
    'QQ=',
    'QQ',
    'QR==',
    'QQ===',
    '====',
    '=',
    'Q',
    '_-8=',
    ' /+8=',
    '/+8=\n',
    '/+\n8=',
    'QUJD ',
    'QQ==QQ==',
    'QQ=A',
    'QUJ\u00e9',
    'QUJ\0',
  ]) {
    assert.equal(base64Decode(text), null, JSON.stringify(text))
  }
})

test('base64url forbids padding and the standard alphabet', () => {
  assert.deepEqual(base64urlDecode('_-8'), Uint8Array.of(0xff, 0xef))
  for (const text of ['_-8=', '_-9', '/+8', 'Q', 'QQ==', 'QR', '_-8 ', '_-\n8', 'QUJDQ']) {
    assert.equal(base64urlDecode(text), null, JSON.stringify(text))
  }
})

test('hex is lowercase unless asked otherwise, and never odd or spaced', () => {
  assert.deepEqual(hexDecode('00ff'), Uint8Array.of(0, 255))
  assert.equal(hexDecode('00FF'), null)
  assert.deepEqual(hexDecode('00Ff', { anyCase: true }), Uint8Array.of(0, 255))
  for (const text of ['0', '0g', ' 00', '00 ', '0x00', '\u0660\u0660']) {
    assert.equal(hexDecode(text, { anyCase: true }), null, text)
  }
})

test('every byte string survives every codec', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      assert.deepEqual(base64Decode(base64Encode(bytes)), bytes)
      assert.deepEqual(base64urlDecode(base64urlEncode(bytes)), bytes)
      assert.deepEqual(hexDecode(hexEncode(bytes)), bytes)
      assert.deepEqual(pemDecode(pemEncode(bytes, 'THING'), 'THING'), bytes)
      assert.equal(base64Encode(bytes), Buffer.from(bytes).toString('base64'))
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('the native codec answers as the pure one, on good and on damaged text', () => {
  const { native, pure } = textCodecs
  assert.ok(native)
  const letters = fc.constantFrom(...'AQgw/+-_= \n0f9Fz\u00e9')
  const soup = fc.array(letters, { maxLength: 12 }).map((list) => list.join(''))
  const text = fc.oneof(soup, anyBytes.map(base64Encode), anyBytes.map(hexEncode))
  fc.assert(
    fc.property(text, (t) => {
      for (const alphabet of ['base64', 'base64url'] as const) {
        assert.deepEqual(native.fromBase64(t, alphabet), pure.fromBase64(t, alphabet), t)
      }
      assert.deepEqual(native.fromHex(t), pure.fromHex(t), t)
    }),
    { seed: 2, numRuns: 3000 },
  )
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      assert.equal(native.toBase64(bytes, 'base64'), pure.toBase64(bytes, 'base64'))
      assert.equal(native.toBase64(bytes, 'base64url'), pure.toBase64(bytes, 'base64url'))
      assert.equal(native.toHex(bytes), pure.toHex(bytes))
    }),
    { seed: 3, numRuns: 300 },
  )
})

test('every text that base64 accepts is the one that its bytes encode to', () => {
  const soup = fc.array(fc.constantFrom(...'AQgw/+='), { maxLength: 8 }).map((list) => list.join(''))
  fc.assert(
    fc.property(soup, (text) => {
      const bytes = base64Decode(text)
      if (bytes !== null) assert.equal(base64Encode(bytes), text)
    }),
    { seed: 4, numRuns: 3000 },
  )
})

test('UTF-8 is fatal both ways and keeps a byte order mark', () => {
  assert.equal(utf8Decode(Uint8Array.of(0xc0, 0xaf)), null)
  assert.equal(utf8Decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), '\ufeffa')
  assert.throws(() => utf8Encode('\udc00'), RangeError)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(utf8Decode(utf8Encode(text)), text)),
    { seed: 5 },
  )
})

test('PEM is one block of the label asked for and nothing else', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, i) => i)
  const pem = pemEncode(bytes, 'PUBLIC KEY')
  assert.deepEqual(pemDecode(pem.replaceAll('\n', '\r\n'), 'PUBLIC KEY'), bytes)
  assert.deepEqual(pemDecode(`\n${pem.trimEnd()}`, 'PUBLIC KEY'), bytes)
  const refused = [
    pem.replaceAll('PUBLIC', 'PRIVATE'),
    pem + pem,
    `x${pem}`,
    pem.replace('AAEC', 'AA EC'),
    pem.replace('-----\n', '-----\nProc-Type: 4,ENCRYPTED\n'),
    pem.replace('-----\n', '-----'),
    '-----BEGIN PUBLIC KEY-----END PUBLIC KEY-----',
    '',
  ]
  for (const text of refused) assert.equal(pemDecode(text, 'PUBLIC KEY'), null, text)
})
