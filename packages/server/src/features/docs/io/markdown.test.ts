import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markupOf } from '../markup.ts'
import { loadDocuments } from './documents.ts'
import { readMarkdown } from './markdown.ts'

const shown = (text: string) => markupOf(readMarkdown(text, (href) => (href.startsWith('http') ? href : null)))

test('HTML in a document stays text, in a block, in a line, in code, in a link and in a table', () => {
  const hostile = [
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '`<b>`',
    '[x](javascript:alert(1))',
    '[<i>](http://a/"onmouseover="x)',
    '| a |\n|---|\n| <iframe> |',
    '![<svg onload=x>](data:image/svg+xml,x)',
  ]
  for (const text of hostile) {
    const markup = shown(text)
    assert.doesNotMatch(markup, /<(?:script|img|iframe|svg|i|b)\b/, text)
    assert.doesNotMatch(markup, /href="javascript|" ?on\w+=/, text)
  }
})

test('headings get addresses of their own, also where two have one name', () => {
  assert.equal(
    shown('## Make a `key`!\n## Make a key'),
    '<h2 id="make-a-key">Make a <code>key</code>!</h2><h2 id="make-a-key-1">Make a key</h2>',
  )
})

test('every document has a title, and every link between documents leads to one that is there and to a heading of it', () => {
  const documents = loadDocuments()
  const names = new Set(documents.list().map(({ name }) => name))
  const bodies = new Map([...names].map((name) => [name, markupOf(documents.read(name)!.body)]))
  assert.ok(names.size > 40)
  const broken: string[] = []
  for (const [from, markup] of bodies)
    for (const [, href] of markup.matchAll(/href="([^"]+)"/g)) {
      const [path = '', anchor] = href!.split('#')
      const name = path === '' ? from : path.startsWith('/docs/') ? path.slice('/docs/'.length) : null
      if (name === null) continue
      const target = bodies.get(name)
      if (target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`)))
        broken.push(`${from}: ${href}`)
    }
  assert.deepEqual(broken, [])
})
