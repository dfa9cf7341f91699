/** The documents of the checkout: what is in docs/, and the files at the root that people look for. They are read once, at
 *  start, and each is taken apart when somebody first asks for it. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { once } from '../../../platform/once.ts'
import type { Documents } from '../contract.ts'
import type { DocumentEntry } from '../schemas.ts'
import { readMarkdown } from './markdown.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..', '..', '..')
const AT_ROOT = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
const PICTURES: Readonly<Record<string, string>> = { png: 'image/png', svg: 'image/svg+xml', webp: 'image/webp' }

/** In the order of the navigation. */
const NAMED: readonly (readonly [group: string, names: readonly string[]])[] = [
  ['Start', ['readme', 'quickstart', 'auditor', 'packages', 'python']],
  [
    'Run it',
    ['deploy', 'access', 'policies', 'webhooks', 'operations', 'performance', 'backup', 'upgrade', 'postgresql'],
  ],
  ['Look up', ['reasons', 'errors', 'threat-model']],
]
/** Where the first heading says too little in a list. */
const TITLES: Readonly<Record<string, string>> = { readme: 'About orch' }

/** What no group names goes by where it lies. */
const PLACED: readonly (readonly [group: string, has: (name: string) => boolean])[] = [
  ['Guides', (name) => !name.includes('/') && !AT_ROOT.some((file) => nameOf(file) === name)],
  ['Formats', (name) => name.startsWith('formats/')],
  ['Project', (name) => !name.includes('/')],
  ['Decisions', () => true],
]

const nameOf = (file: string): string =>
  file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()

export function loadDocuments(root: string = ROOT): Documents {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const paths = [...AT_ROOT, ...below.map((path) => posix.join('docs', path.replaceAll('\\', '/'))).sort()]
  const sources = paths.filter((path) => path.endsWith('.md'))
  const names = new Map(sources.map((path) => [path, nameOf(path)]))
  const pictures = new Map(
    paths.filter((path) => extensionOf(path) in PICTURES).map((path) => [path, readFileSync(join(root, path))]),
  )
  const texts = new Map(sources.map((path) => [nameOf(path), readFileSync(join(root, path), 'utf8')]))
  const bodies = new Map(
    sources.map((path) => {
      const resolve = targetsFrom(path, names, pictures)
      return [nameOf(path), once(() => readMarkdown(texts.get(nameOf(path))!, resolve))] as const
    }),
  )
  const files = new Map(sources.map((path) => [nameOf(path), path]))
  return {
    list: once(() => inGroups([...texts].map(([name, text]) => ({ name, ...headingsOf(name, text) })))),
    read(name) {
      const body = bodies.get(name)?.()
      if (body === undefined) return null
      return { name, title: headingsOf(name, texts.get(name)!).title, source: files.get(name)!, body }
    },
    picture(path) {
      const bytes = pictures.get(`docs/${path}`)
      return bytes === undefined ? null : { bytes, type: PICTURES[extensionOf(path)]! }
    },
  }
}

const extensionOf = (path: string): string => posix.extname(path).slice(1)

/** From its lines alone: a list of titles takes no document apart. */
function headingsOf(name: string, text: string): { title: string; headings: string[] } {
  const lines = text.replace(/^```[\s\S]*?^```$/gm, '').split('\n')
  const at = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => plain(line.slice(mark.length)))
  return { title: TITLES[name] ?? at('# ')[0] ?? name, headings: at('## ') }
}

const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')

const OWN_ADDRESS = /^https?:\/\/(?:127\.0\.0\.1|localhost):8080(?=\/|$)/

/** A link to a document leads to its page, one to this service stays here, and one to another file of the repository
 *  leads nowhere. */
const targetsFrom =
  (path: string, names: ReadonlyMap<string, string>, pictures: ReadonlyMap<string, unknown>) =>
  (href: string): string | null => {
    if (OWN_ADDRESS.test(href)) return href.replace(OWN_ADDRESS, '') || '/'
    if (/^https?:\/\//.test(href) || href.startsWith('#')) return href
    if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return null
    const [file = '', anchor] = href.split('#')
    const target = posix.normalize(posix.join(dirname(path), file))
    const hash = anchor === undefined ? '' : `#${anchor}`
    const name = names.get(target)
    if (name !== undefined) return `/docs/${name}${hash}`
    return pictures.has(target) ? `/docs/${target.replace(/^docs\//, '')}` : null
  }

function inGroups(documents: readonly Omit<DocumentEntry, 'group'>[]): DocumentEntry[] {
  const byName = new Map(documents.map((one) => [one.name, one]))
  const take = (group: string, names: readonly string[]): DocumentEntry[] =>
    names.flatMap((name) => {
      const found = byName.get(name)
      byName.delete(name)
      return found === undefined ? [] : [{ ...found, group }]
    })
  return [
    ...NAMED.flatMap(([group, names]) => take(group, names)),
    ...PLACED.flatMap(([group, has]) => take(group, [...byName.keys()].filter(has))),
  ]
}
