import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksOf } from '../../domain/page/links.ts'
import { landingPage } from './landing.ts'

const describe = (path: string, operationId: string) => ({ [path]: { get: { operationId, summary: 'a <b> & "c"' } } })

test('what is not served is not listed', () => {
  assert.deepEqual(linksOf({}), [])
  const links = linksOf({ paths: { ...describe('/somewhere', 'pages.verify'), ...describe('/other', 'unknown.id') } })
  assert.deepEqual(
    links.map(({ path }) => path),
    ['/somewhere'],
  )
})

test('summaries are text on the page, never markup', () => {
  const page = landingPage(linksOf({ paths: describe('/somewhere', 'pages.verify') }), '')
  assert.ok(page.includes('a &lt;b&gt; &amp; &quot;c&quot;'))
})
