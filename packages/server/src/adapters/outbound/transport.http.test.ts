import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILD_VERSION } from '@orch/core'
import { localHosts } from '#testing/readings/local-hosts.ts'
import { documentStore } from '#testing/readings/reader.ts'
import { openOutbound } from './outbound.ts'
import { configured } from './providers.ts'
import { openExchange } from './transport.ts'

test('whoever is asked learns the program, and where it is found where the operator named a place', async (t) => {
  const hosts = await localHosts()
  t.after(() => hosts.close())
  const ask = async (from?: string) => {
    const { signal } = new AbortController()
    const response = await openExchange({ url: hosts.url, headers: {}, signal, ...(from ? { from } : {}) }, [])
    response.destroy()
    return hosts.seen.at(-1)?.headers['user-agent']
  }
  assert.equal(await ask(), `orch/${BUILD_VERSION}`)
  assert.equal(await ask('https://orch.example'), `orch/${BUILD_VERSION} (+https://orch.example)`)
  assert.equal(await ask('https://bücher.example'), `orch/${BUILD_VERSION} (+https://xn--bcher-kva.example)`)
})

test('readings and single requests both say where they come from', async (t) => {
  const hosts = await localHosts()
  t.after(() => hosts.close())
  hosts.pages.set('/one', {})
  const settings = { enabled: true, privateHosts: [], from: 'https://orch.example' }
  const clock = { now: () => 0, monotonic: () => performance.now() }
  const outbound = openOutbound(settings, [configured('one', [hosts.url])], { store: documentStore(), clock })
  await outbound.get('one', '/one', {}, { normalise: (reply) => reply })
  await outbound.exchange('one')({ url: `${hosts.url}/one`, status: 200, deadlineMs: 5_000, maxBytes: 100 })
  assert.deepEqual(
    hosts.seen.map(({ headers }) => headers['user-agent']),
    Array(2).fill(`orch/${BUILD_VERSION} (+https://orch.example)`),
  )
})
