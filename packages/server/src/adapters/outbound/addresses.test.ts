import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedLookup, DestinationDenied, isAllowed, isDeniedLiteral, reachOf } from './addresses.ts'

const INSIDE = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1'],
  ...['192.0.2.1', '203.0.113.9', '224.0.0.1', '255.255.255.255', '::', 'fc00::1', 'fd12::1', 'ff02::1'],
  ...['::ffff:10.0.0.1', '::ffff:192.168.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1'],
  ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '64:ff9b:1::a00:1', '64:ff9b:1:ffff::1', '::10.0.0.1', '::8.8.8.8'],
  ...['::ffff:0:127.0.0.1', '::ffff:0:a00:1'],
  ...['2001:2::1', '2001:20::1', '3fff::1', '5f00::1', 'fec0::1', '192.88.99.1'],
]
const LOOPBACK = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']
const LINK_LOCAL = ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254']
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '64:ff9c::1',
]

test('a public host reaches public addresses alone', () => {
  for (const address of PUBLIC) assert.equal(isAllowed(address, 'public'), true, address)
  for (const address of [...INSIDE, ...LOOPBACK, ...LINK_LOCAL])
    assert.equal(isAllowed(address, 'public'), false, address)
})

test('a host named as private reaches private addresses, yet never this machine or the link', () => {
  for (const address of ['10.1.2.3', '100.64.0.1', '172.16.0.1', '192.168.1.1', 'fd12::1', '::ffff:10.0.0.1'])
    assert.equal(isAllowed(address, 'private'), true, address)
  for (const address of PUBLIC) assert.equal(isAllowed(address, 'private'), true, address)
  for (const address of [...LOOPBACK, ...LINK_LOCAL]) assert.equal(isAllowed(address, 'private'), false, address)
})

test('a host named as private reaches neither this machine by its other names nor what wraps another address', () => {
  const wrapped = ['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::', '::a9fe:a9fe', '::ffff:0:a9fe:a9fe', '64:ff9b::a00:1']
  for (const address of ['0.0.0.0', '::', '224.0.0.1', 'ff02::1', '240.0.0.1', '255.255.255.255', ...wrapped])
    assert.equal(isAllowed(address, 'private'), false, address)
})

test('a loopback host reaches this machine and nothing else', () => {
  for (const address of ['127.0.0.1', '::1']) assert.equal(isAllowed(address, 'loopback'), true, address)
  for (const address of [...PUBLIC, ...LINK_LOCAL, '10.0.0.1'])
    assert.equal(isAllowed(address, 'loopback'), false, address)
})

test('what is no address is not allowed', () => {
  for (const text of ['', 'localhost', '999.1.1.1', '1.1.1.1 ']) assert.equal(isAllowed(text, 'public'), false, text)
})

test('a URL with an address for a host is judged by that address', () => {
  const denied = (url: string, hosts: string[] = []) => {
    const parsed = new URL(url)
    return isDeniedLiteral(parsed, reachOf(parsed, hosts))
  }
  assert.equal(denied('https://169.254.169.254/latest'), true)
  assert.equal(denied('https://169.254.169.254/latest', ['169.254.169.254']), true)
  assert.equal(denied('https://[fd00::1]/'), true)
  assert.equal(denied('https://10.0.0.1/'), true)
  assert.equal(denied('https://10.0.0.1/', ['10.0.0.1']), false)
  assert.equal(denied('https://0x7f000001/'), false, 'the URL parser makes this 127.0.0.1, a loopback host by its name')
  assert.equal(denied('http://127.0.0.1/'), false)
  assert.equal(denied('https://meter.example/'), false, 'a name is judged when it is resolved')
})

test('a name is resolved once, and one answer that points inside refuses it whole', async () => {
  const answers = [['1.1.1.1', '2606:4700:4700::1111'], ['10.0.0.1'], ['1.1.1.1', '127.0.0.1'], []]
  let asked = 0
  const lookUp = checkedLookup('public', (_hostname, _options, done) => {
    const addresses = answers[asked++] ?? []
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  })
  const result = () =>
    new Promise<unknown>((resolve) => {
      lookUp('rebinding.example', { all: false }, (error, address) => resolve(error ?? address))
    })
  assert.equal(await result(), '1.1.1.1')
  for (const _ of ['private', 'mixed', 'none']) assert.ok((await result()) instanceof DestinationDenied)
  assert.equal(asked, 4, 'each connection asks once')
})
