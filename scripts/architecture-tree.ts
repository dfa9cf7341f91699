// The tree the architecture rules are held against: path -> source text, and the reader of the real one.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Tree = ReadonlyMap<string, string>
export interface Violation {
  rule: string
  file: string
  line: number
  detail: string
}

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file)

const FOLDERS = ['packages', 'clients', 'scripts', 'bench', 'examples', 'docs']
const LEFT_OUT = new Set(['node_modules', 'dist', 'generated'])

/** Every source file of the checkout by its path from the root, with `/` on every platform. */
export function readTree(root: string, more: readonly string[] = []): Tree {
  const files = [...FOLDERS, ...more]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => sourcesIn(root, folder))
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

function sourcesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : sourcesIn(root, path)
    return /\.(?:tsx?|m?js|jsx)$/.test(entry.name) ? [path] : []
  })
}
