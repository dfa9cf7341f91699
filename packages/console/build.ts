// Builds the pages when their sources differ from those of the last build. A build that fails leaves no page behind:
// an old one that still answers would hide the failure.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const DIST = join(import.meta.dirname, 'dist')
const PAGE = 'verify.html'
const STAMP = join(DIST, 'stamp.json')

/** Size and time let a starting server see at a glance that nothing changed; the digest decides. */
interface StampedInput {
  path: string
  sha256: string
  size: number
  mtime_ms: number
}
export interface Stamp {
  schema: 'orch.console-build/v2'
  /** SHA-256 by name of every file the build wrote. */
  outputs: Record<string, string>
  inputs: StampedInput[]
}

/** Says whether it built anything. */
export async function buildWhereNeeded(say: (line: string) => void): Promise<boolean> {
  const stamp = readStamp()
  if (stamp && isCurrent(stamp)) {
    restamp(stamp)
    return false
  }
  say('building the pages')
  try {
    const { buildConsole, buildVerifyPage, buildPageFiles } = await import('./build-pages.ts')
    const built = await Promise.all([buildVerifyPage(), buildPageFiles(), buildConsole()])
    const [{ html, sha256, inputs }, pages, console] = built
    const files = [{ name: PAGE, text: html, sha256 }, ...pages.files, ...console.files]
    mkdirSync(join(DIST, 'console'), { recursive: true })
    for (const { name, text } of files) writeWhole(join(DIST, name), text)
    const outputs = Object.fromEntries(files.map(({ name, sha256 }) => [name, sha256]))
    writeWhole(STAMP, stampText(outputs, [...new Set([...inputs, ...pages.inputs, ...console.inputs])].sort()))
    for (const { name, text, sha256 } of files) say(`built ${name}, ${text.length} characters, SHA-256 ${sha256}`)
    return true
  } catch (error) {
    rmSync(DIST, { recursive: true, force: true })
    throw error
  }
}

const isCurrent = ({ outputs, inputs }: Stamp): boolean =>
  Object.entries(outputs).every(([name, sha256]) => digestOf(join(DIST, name)) === sha256) &&
  inputs.every(({ path, sha256 }) => digestOf(join(ROOT, path)) === sha256)

/** Copying a checkout changes times and not contents; noting the new times only spares the next start a look. */
function restamp({ outputs, inputs }: Stamp): void {
  try {
    const paths = inputs.map(({ path }) => path)
    writeWhole(STAMP, stampText(outputs, paths))
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function readStamp(): Stamp | null {
  try {
    const stamp = JSON.parse(readFileSync(STAMP, 'utf8')) as Stamp
    return stamp.schema === 'orch.console-build/v2' ? stamp : null
  } catch (error) {
    // Absent or damaged: build again.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function stampText(outputs: Stamp['outputs'], paths: readonly string[]): string {
  const inputs = paths.map((path): StampedInput => {
    const { size, mtimeMs } = statSync(join(ROOT, path))
    return { path, sha256: digestOf(join(ROOT, path)) as string, size, mtime_ms: mtimeMs }
  })
  const stamp: Stamp = { schema: 'orch.console-build/v2', outputs, inputs }
  return `${JSON.stringify(stamp, null, 1)}\n`
}

/** Null for a file that is not there. */
function digestOf(file: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** By renaming: two builds at once each leave a whole file. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}

/** The bundler lists every fault with its place; the first is the one to mend. */
function firstFault(error: unknown): string {
  const [first] =
    (error as { errors?: { text: string; location: { file: string; line: number } | null }[] }).errors ?? []
  if (!first) return error instanceof Error ? error.message : String(error)
  return first.location ? `${first.location.file}:${first.location.line}: ${first.text}` : first.text
}

if (import.meta.main) {
  try {
    await buildWhereNeeded((line) => process.stderr.write(`${line}\n`))
  } catch (error) {
    process.stderr.write(`the pages could not be built: ${firstFault(error)}\n`)
    process.exitCode = 1
  }
}
