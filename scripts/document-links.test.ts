import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { BUILD_VERSION } from '../packages/core/src/doctrine.ts'

const ROOT = join(import.meta.dirname, '..')
const markdownIn = (folder: string, recursive: boolean): string[] =>
  readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, folder, name))
const PAGES = [...markdownIn('.', false), ...['docs', 'deploy'].flatMap((folder) => markdownIn(folder, true))]

/** As GitHub names the anchors of headings. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/ /g, '-'),
    ),
  )

/** Made by the browser tests: the folder comes with the first of them. */
const isPictureToCome = (target: string): boolean =>
  target.startsWith(join(ROOT, 'docs/pictures/')) && !existsSync(join(ROOT, 'docs/pictures'))

test('every link of the documents leads to a file that is there, and to a heading that it has', () => {
  const broken: string[] = []
  for (const page of PAGES)
    for (const [, link] of readFileSync(page, 'utf8').matchAll(/\]\((?![a-z]+:)([^)\s]*)\)/g)) {
      const [path = '', anchor] = link!.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      const isThere = existsSync(target) && (anchor === undefined || anchorsOf(target).has(anchor))
      if (!isThere && !isPictureToCome(target)) broken.push(`${relative(ROOT, page)}: ${link}`)
    }
  assert.ok(PAGES.length > 20)
  assert.deepEqual(broken, [])
})

test('the version at the top of the changelog is the one of the build', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  assert.equal(/^## (\S+)/m.exec(changelog)?.[1], BUILD_VERSION)
})

test('every page of the documents can be reached from the README', () => {
  const reached = new Set([join(ROOT, 'README.md')])
  for (const page of reached)
    for (const [, link] of readFileSync(page, 'utf8').matchAll(/\]\((?![a-z]+:)([^)\s#]+\.md)/g)) {
      const target = join(dirname(page), link!)
      if (existsSync(target)) reached.add(target)
    }
  const unreached = PAGES.filter((page) => !reached.has(page) && !page.includes('/docs/decisions/'))
  assert.deepEqual(
    unreached.map((page) => relative(ROOT, page)),
    [],
  )
})
