// Exports that no other source file imports. `export` on every helper hides what a file is for; what only a test imports
// is unused as well. Those that were there when this check came are listed in unused-exports.txt, which may only shrink.
import { readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { isTest, type Tree } from './architecture-tree.ts'
import { readSource } from './source-text.ts'

/** `file name` of each, and how many there may be. */
interface Allowed {
  max: number
  names: ReadonlySet<string>
}

const LIST = new URL('./unused-exports.txt', import.meta.url)
const PACKAGES: readonly (readonly [prefix: RegExp, path: string])[] = [
  [/^@orch\/core$/, 'packages/core/src/index.ts'],
  [/^@orch\/core\/(.*)$/, 'packages/core/src/$1.ts'],
  [/^@orch\/client$/, 'packages/client/src/index.ts'],
  [/^@orch\/server\/(.*)$/, 'packages/server/$1'],
  [/^#testing\/(.*)$/, 'packages/server/testing/$1'],
]
const DECLARED =
  /^export\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}(?!\s*from)/gm
const IMPORTED = /^(?:import|export)\s+(?:type\s+)?(?:\w+\s*,?\s*)?(?:\{([^}]*)\}|\*\s*(?:as\s+\w+)?)\s*from\s*['"]/gm
const WHOLE = /\bimport\s*\(\s*['"]|\bnew\s+URL\s*\(\s*['"]/g

/** Sources whose exports are for readers outside: what a package offers, and what a program is started with. */
const isOffered = (file: string): boolean =>
  isTest(file) ||
  /^(?:examples|docs|bench)\/|^vectors\/|^packages\/(?:core|client)\/src\/index\.ts$|\/[\w-]+\.m?js$/.test(file)
/** What a test needs is no reason to export. */
const isFixture = (file: string): boolean => isTest(file) || file.startsWith('packages/server/testing/')

/** The unused exports of a tree: `name` by file. A module that is imported as a whole has none. */
export function unusedExports(tree: Tree): Map<string, string[]> {
  const used = new Map<string, Set<string> | 'all'>()
  for (const [file, source] of tree)
    for (const { target, names } of importsIn(file, source))
      if (!isFixture(file) || isFixture(target)) note(used, target, names)
  const found = new Map<string, string[]>()
  for (const [file, source] of tree) {
    const names = used.get(file)
    if (isOffered(file) || names === 'all') continue
    const unused = exportsOf(source).filter((name) => !names?.has(name))
    if (unused.length > 0) found.set(file, unused)
  }
  return found
}

function note(used: Map<string, Set<string> | 'all'>, target: string, names: readonly string[] | 'all'): void {
  const known = used.get(target)
  if (names === 'all' || known === 'all') used.set(target, 'all')
  else used.set(target, new Set([...(known ?? []), ...names]))
}

const listed = (names: string, which: 0 | -1): string[] =>
  names.split(',').flatMap(
    (one) =>
      one
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)
        .at(which) || [],
  )

function exportsOf(source: string): string[] {
  const { code } = readSource(source)
  const groups = [...code.matchAll(LISTED)].flatMap(([, names]) => listed(names as string, -1))
  return [...[...code.matchAll(DECLARED)].map(([, name]) => name as string), ...groups].sort()
}

interface ImportedNames {
  target: string
  names: readonly string[] | 'all'
}

function importsIn(file: string, source: string): ImportedNames[] {
  const { code, strings } = readSource(source)
  const valueAt = new Map(strings.map(({ start, value }) => [start, value]))
  const read = (match: RegExpMatchArray, names: readonly string[] | 'all'): ImportedNames[] => {
    const target = resolved(file, valueAt.get((match.index ?? 0) + match[0].length) ?? '')
    return target === null ? [] : [{ target, names }]
  }
  return [
    ...[...code.matchAll(IMPORTED)].flatMap((match) =>
      read(match, match[1] === undefined ? 'all' : listed(match[1], 0)),
    ),
    ...[...code.matchAll(WHOLE)].flatMap((match) => read(match, 'all')),
  ]
}

function resolved(file: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  const found = PACKAGES.find(([prefix]) => prefix.test(specifier))
  return found === undefined ? null : specifier.replace(found[0], found[1])
}

/** One line for each export that is unused and not listed, and for each that is listed and used again. */
export function exportFaults(found: ReadonlyMap<string, readonly string[]>, { max, names }: Allowed): string[] {
  const unused = new Set(pairsOf(found))
  return [
    ...[...unused].filter((pair) => !names.has(pair)).map((pair) => `${pair}: nothing imports it; drop the export`),
    ...[...names].filter((pair) => !unused.has(pair)).map((pair) => `${pair}: is not unused; take it off the list`),
    ...(names.size > max ? [`unused-exports.txt lists ${names.size} names and may list ${max}`] : []),
  ]
}

const pairsOf = (found: ReadonlyMap<string, readonly string[]>): string[] =>
  [...found].flatMap(([file, own]) => own.map((name) => `${file} ${name}`)).sort()

export function readAllowed(): Allowed {
  const [first = '', ...names] = readFileSync(LIST, 'utf8').trimEnd().split('\n')
  return { max: Number(/^at most (\d+)$/.exec(first)?.[1]), names: new Set(names) }
}

/** The list without what is used or gone. Nothing is put on it: a new export that nothing imports is dropped instead. */
export function shrinkAllowed(found: ReadonlyMap<string, readonly string[]>): void {
  const { names } = readAllowed()
  const left = pairsOf(found).filter((pair) => names.has(pair))
  writeFileSync(LIST, `at most ${left.length}\n${left.join('\n')}\n`)
}
