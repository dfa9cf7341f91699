import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildPageFiles, buildVerifyPage } from './build-pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')

test('building twice gives the same bytes', async () => {
  const [first, second] = [await buildVerifyPage(), await buildVerifyPage()]
  assert.equal(first.html, second.html)
  assert.deepEqual(first.inputs, second.inputs)
  assert.equal(first.sha256, createHash('sha256').update(first.html).digest('hex'))
})

test('what pages load is the same on every build, names no other address and makes no script of text', async () => {
  const [first, second] = [await buildPageFiles(), await buildPageFiles()]
  assert.deepEqual(first, second)
  assert.deepEqual(first.files.map(({ name }) => name).sort(), [...['m1.js', 'operator.js', 'pages.css', 'theme.js']])
  for (const { text, sha256 } of first.files) {
    assert.equal(sha256, createHash('sha256').update(text).digest('hex'))
    assert.doesNotMatch(text, /https?:|@import|url\(|innerHTML|\beval\b|new Function|document\.write/)
  }
})

test('the policy names the hashes of exactly the one script and the one style inside, and allows nothing else', async () => {
  const { html } = await buildVerifyPage()
  const inside = (tag: string): string => {
    const found = [...html.matchAll(new RegExp(`<${tag}>([^\\0]*?)</${tag}>`, 'g'))]
    assert.equal(found.length, 1, tag)
    return createHash('sha256').update(found[0]![1]!).digest('base64')
  }
  const policy = /content="(default-src[^"]+)"/.exec(html)?.[1]
  assert.equal(
    policy,
    `default-src 'none'; script-src 'sha256-${inside('script')}'; style-src 'sha256-${inside('style')}'; img-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'`,
  )
  assert.ok(html.indexOf(policy!) < html.indexOf('<style>'), 'the policy stands before what it governs')
})

test('the page names no address to load from and carries no event handler or style in its markup', async () => {
  const { html } = await buildVerifyPage()
  const markup = html.replace(/<script>[\s\S]*<\/script>/, '').replace(/<style>[\s\S]*<\/style>/, '')
  assert.doesNotMatch(markup, /\s(?:src|action|formaction|ping|on[a-z]+|style)\s*=/i)
  const links = [...markup.matchAll(/\shref="([^"]*)"/g)].map(([, target]) => target!.slice(0, 5))
  assert.deepEqual(links, ['data:', '#repo'])
})

test('every source of the verifier is an input of the build, so that a change of any of them is seen', async () => {
  const { inputs } = await buildVerifyPage()
  for (const path of ['packages/core/src/verify/receipt.ts', 'packages/core/src/p256.ts', 'packages/console/build.ts'])
    assert.ok(inputs.includes(path), path)
  assert.ok(inputs.some((path) => path.startsWith('node_modules/@noble/curves/')))
  assert.deepEqual(
    inputs.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

/** A checkout of its own: a build that is made to fail must not touch the real one. */
function checkout(t: { after(clean: () => void): void }): {
  build(): ReturnType<typeof spawnSync>
  at(path: string): string
} {
  const folder = mkdtempSync(join(tmpdir(), 'orch-build-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['core', 'client', 'console'])
    cpSync(join(ROOT, 'packages', name), join(folder, 'packages', name), {
      recursive: true,
      filter: (from) => !from.endsWith('/dist') && !from.endsWith('/node_modules'),
    })
  mkdirSync(join(folder, 'node_modules', '@orch'), { recursive: true })
  for (const name of [
    'esbuild',
    '@esbuild',
    '@noble',
    'typebox',
    'eventsource-parser',
    'react',
    'react-dom',
    'scheduler',
  ])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  for (const name of ['core', 'client'])
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', '@orch', name))
  const at = (path: string) => join(folder, path)
  return { at, build: () => spawnSync(process.execPath, [at('packages/console/build.ts')], { encoding: 'utf8' }) }
}

test('an unchanged source is not built again, a changed one is, and a failed build leaves no page behind', (t) => {
  const { build, at } = checkout(t)
  const page = at('packages/console/dist/verify.html')
  const first = build()
  assert.equal(first.status, 0, String(first.stderr))
  assert.equal(first.stdout, '')
  assert.match(String(first.stderr), /built verify\.html/)
  const bytes = readFileSync(page, 'utf8')

  assert.deepEqual([build().stderr, readFileSync(page, 'utf8') === bytes], ['', true])

  writeFileSync(page, bytes.replace('FAIL', 'PASS'))
  assert.match(String(build().stderr), /built verify\.html/)
  assert.equal(readFileSync(page, 'utf8'), bytes)

  const words = at('packages/console/src/verify/words.ts')
  writeFileSync(words, `${readFileSync(words, 'utf8')}\nexport const broken = (\n`)
  const failed = build()
  assert.equal(failed.status, 1)
  assert.match(String(failed.stderr), /the pages could not be built: packages\/console\/src\/verify\/words\.ts:\d+: /)
  assert.doesNotMatch(String(failed.stderr), /\n\s+at /)
  assert.equal(existsSync(page), false)
})
