// The types of a package: every declaration its way in leads to, copied under the package's own folder. What it says of
// `@orch/core` is copied along, because a package that named another one would have npm look for it in a registry.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')

/** All declarations by path, such as `core/src/index.d.ts`, into `folder`. */
export async function emitDeclarations(folder: string): Promise<void> {
  const program = join(ROOT, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [program, '-p', join(ROOT, 'scripts/packages'), '--outDir', folder])
}

/** `entry` is a source file such as `core/src/index.ts`. */
export function copyDeclarations(emitted: string, entry: string, folder: string): void {
  const waiting = [entry]
  const copied = new Set<string>()
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (copied.has(file)) continue
    copied.add(file)
    const { text, imports } = relocate(file, readFileSync(join(emitted, declarationOf(file)), 'utf8'))
    waiting.push(...imports)
    const target = join(folder, declarationOf(file))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
}

const declarationOf = (source: string): string => source.replace(/\.ts$/, '.d.ts')

const SPECIFIER = /(\bfrom |\bimport\()(['"])([^'"]+)\2/g

/** Sources import each other by `.ts`; readers of the declarations look for `.js`. */
function relocate(file: string, source: string): { text: string; imports: string[] } {
  const imports: string[] = []
  const text = source.replaceAll(SPECIFIER, (_, word: string, quote: string, specifier: string) => {
    const found = specifier === '@orch/core' ? 'core/src/index.ts' : posix.join(posix.dirname(file), specifier)
    if (specifier !== '@orch/core' && !specifier.startsWith('.'))
      throw new Error(`${file}: the types of a package may not need ${specifier}`)
    imports.push(found)
    const path = posix.relative(posix.dirname(file), found).replace(/\.ts$/, '.js')
    return `${word}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
  })
  return { text, imports }
}
