import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { importsOf, readSource } from './source-text.ts'

const specifiers = (source: string) => importsOf(source).map(({ specifier }) => specifier)

test('every form of import is found with its line', () => {
  const source = [
    `import './effect.ts'`,
    `import def, { a } from "./a.ts"`,
    'import {',
    '  b,',
    `} from './b.ts'`,
    `import type { C } from './c.ts'`,
    `import type from './named-type.ts'`,
    `export * from './d.ts'`,
    `export type { E } from './e.ts'`,
    'const f = await import(`./f.ts`)',
    `const g = require('./g.ts')`,
    `type H = import('./h.ts').H`,
    `import { type I, type J } from './i.ts'`,
    `import { type K, l } from './k.ts'`,
  ].join('\n')
  assert.deepEqual(
    importsOf(source).map(({ specifier, line, typeOnly }) => [specifier, line, typeOnly]),
    [
      ['./effect.ts', 1, false],
      ['./a.ts', 2, false],
      ['./b.ts', 5, false],
      ['./c.ts', 6, true],
      ['./named-type.ts', 7, false],
      ['./d.ts', 8, false],
      ['./e.ts', 9, true],
      ['./f.ts', 10, false],
      ['./g.ts', 11, false],
      ['./h.ts', 12, false],
      ['./i.ts', 13, true],
      ['./k.ts', 14, false],
    ],
  )
})

test('an import in a comment, a string, a template or a regular expression is not one', () => {
  assert.deepEqual(specifiers(`// import './a.ts'\n/* import './b.ts' */ const s = "import './c.ts'"`), [])
  assert.deepEqual(specifiers("const t = `import './d.ts'`; const r = /import '.e.ts'/"), [])
})

test('a quote in a regular expression or in markup hides nothing after it', () => {
  assert.deepEqual(specifiers(`const r = /['"\`]/g\nimport './a.ts'`), ['./a.ts'])
  assert.deepEqual(specifiers(`const r = x.replace(/[/'"]/, '')\nimport './a.ts'`), ['./a.ts'])
  assert.deepEqual(specifiers(`const m = <p>don't</p>\nimport './a.ts'`), ['./a.ts'])
  assert.deepEqual(specifiers(`const d = a / b; const s = 'x' / c\nimport './a.ts'`), ['./a.ts'])
})

test('code inside template placeholders is code, however deep', () => {
  const { code } = readSource(`const a = \`x \${f({ b: \`y \${process.env.Z}\` })} Date.now\``)
  assert.match(code, /process\.env\.Z/)
  assert.doesNotMatch(code, /Date\.now/)
})

test('blanking keeps every offset and every line, whatever the text', () => {
  const fragment = fc.constantFrom("'", '"', '`', '$', '}', '{', '/', '//', '/*', '*/', '\\', '\n', 'a', ' ', '[', ']')
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), (parts) => {
      const source = parts.join('')
      const { code } = readSource(source)
      assert.equal(code.length, source.length)
      assert.equal(code.split('\n').length, source.split('\n').length)
    }),
    { seed: 1, numRuns: 2000 },
  )
})
