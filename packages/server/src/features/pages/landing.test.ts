import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageLinks } from '../../domain/page/links.ts'
import type { CatalogEntry } from '../../ports.ts'
import { landingMain } from './landing.ts'

const entry = (path: string, id: string): CatalogEntry => ({
  id,
  method: 'GET',
  path,
  summary: 'a <b> & "c"',
  scopes: [],
  labels: [],
})

test('what is not served is not listed', () => {
  assert.deepEqual(pageLinks([]), [])
  const links = pageLinks([entry('/somewhere', 'pages.verify'), entry('/other', 'unknown.id')])
  assert.deepEqual(
    links.map(({ path }) => path),
    ['/somewhere'],
  )
})

test('summaries are text on the page, never markup', () => {
  const page = landingMain(pageLinks([entry('/somewhere', 'pages.verify')]))
  assert.ok(page.includes('a &lt;b&gt; &amp; &quot;c&quot;'))
})
