import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { PAGE_POLICY } from '../../domain/page/headers.ts'

const service = await startApp({ after }, {}, [])

test('the verifier is served as one file whose policy stands in the header and in the page, word for word', async () => {
  const { status, headers, text } = await send(`${service.url}/verify`)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  const inside = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(text)?.[1]
  assert.equal(headers['content-security-policy'], inside)
  assert.match(inside!, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:/)
})

test('the entity tag of the verifier is the SHA-256 of its bytes', async () => {
  const { headers, text } = await send(`${service.url}/verify`)
  assert.equal(headers.etag, `"${createHash('sha256').update(text).digest('hex')}"`)
})

for (const path of ['/', '/verify'])
  test(`${path} is sent with the headers of a page`, async () => {
    const { headers } = await send(service.url + path)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    const features = String(headers['permissions-policy']).split(', ')
    assert.ok(features.length > 10 && features.every((feature) => /^[a-z-]+=\(\)$/.test(feature)))
  })

test('HEAD gives the same headers and no page', async () => {
  const got = await send(`${service.url}/verify`)
  const asked = await send(`${service.url}/verify`, { method: 'HEAD' })
  assert.equal(asked.text, '')
  for (const name of ['etag', 'content-length', 'content-security-policy'])
    assert.equal(asked.headers[name], got.headers[name])
})

test('the root lists what is here in markup alone, and each of its links answers', async () => {
  const { status, headers, text } = await send(`${service.url}/`)
  assert.equal(status, 200)
  assert.doesNotMatch(text, /<script>|<style|\son[a-z]+=|\sstyle=/i)
  assert.equal(headers['content-security-policy'], PAGE_POLICY)
  const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path!)
  for (const path of ['/verify', '/console/decisions', '/openapi.json', '/healthz', '/organs'])
    assert.ok(links.includes(path), path)
  for (const path of links) assert.ok((await send(service.url + path)).status < 400, path)
})
