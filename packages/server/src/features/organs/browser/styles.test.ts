import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HIDDEN_PAGES, NEVER_SHOWS, ORDER, SHOWN_PAGES, WAYS_TO_HIDE } from '#testing/organs/hidden-pages.ts'
import { hiddenTexts } from './hidden.ts'
import { openPage } from './page.ts'

/** How the order is hidden; none where it is in plain sight. */
const waysOf = (html: string): string[] =>
  hiddenTexts(openPage(html)!)
    .filter(({ parts }) => parts.join('').includes(ORDER))
    .flatMap(({ ways }) => ways)

for (const [name, pages] of Object.entries(HIDDEN_PAGES))
  test(`${name}: a text that a browser hides is never taken for visible`, () => {
    for (const html of pages) assert.notDeepEqual(waysOf(html), [], html)
  })

test('a text in plain sight is taken for visible, whatever else the style sheet says', () => {
  for (const html of SHOWN_PAGES) assert.deepEqual(waysOf(html), [], html)
})

test('a rule that never applies shows nothing that another hides', () => {
  const way = fc.constantFrom(...WAYS_TO_HIDE)
  const undoing = fc.array(fc.constantFrom(...NEVER_SHOWS), { maxLength: 4 })
  const around = fc.array(fc.constantFrom('div', 'section', 'b', 'main'), { maxLength: 3 })
  const page = fc.tuple(fc.boolean(), way, undoing, fc.boolean(), around, fc.boolean())
  fc.assert(
    fc.property(page, ([hasDoctype, { css, shows }, wrap, isInline, tags, isOuter]) => {
      const sheet = isInline ? '' : `.x{${css}}`
      const rules = wrap.map((one) => one(shows)).join('\n')
      const attributes = `class="x y" id=i title="#a#b" ${isInline ? `style="${css};${shows.replaceAll(/:[^;]*/g, ':bogus')}"` : ''}`
      const [open, close] = [tags.map((tag) => `<${tag}>`), tags.toReversed().map((tag) => `</${tag}>`)]
      const text = isOuter
        ? `<div ${attributes}>${open.join('')}${ORDER}${close.join('')}</div>`
        : `${open.join('')}<p ${attributes}>${ORDER}</p>${close.join('')}`
      const html = `${hasDoctype ? '<!doctype html>' : ''}<style>${sheet}\n${rules}</style>${text}`
      assert.notDeepEqual(waysOf(html), [], html)
    }),
    { seed: 24, numRuns: 1500 },
  )
})
