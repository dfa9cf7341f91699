// Builds the pages when their sources differ from those of the last build. A build that fails leaves no page behind:
// an old one that still answers would hide the failure.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const DIST = join(import.meta.dirname, 'dist')
const PAGE = join(DIST, 'verify.html')
const STAMP = join(DIST, 'stamp.json')

/** Size and time let a starting server see at a glance that nothing changed; the digest decides. */
interface StampedInput {
  path: string
  sha256: string
  size: number
  mtime_ms: number
}
export interface Stamp {
  schema: 'orch.console-build/v1'
  verify_sha256: string
  inputs: StampedInput[]
}

/** Says whether it built anything. */
export async function buildWhereNeeded(say: (line: string) => void): Promise<boolean> {
  const stamp = readStamp()
  if (stamp && isCurrent(stamp)) {
    restamp(stamp)
    return false
  }
  say('building the offline verifier page')
  try {
    const { buildVerifyPage } = await import('./build-verify.ts')
    const { html, sha256, inputs } = await buildVerifyPage()
    mkdirSync(DIST, { recursive: true })
    writeWhole(PAGE, html)
    writeWhole(STAMP, stampText(sha256, inputs))
    say(`built verify.html, ${html.length} characters, SHA-256 ${sha256}`)
    return true
  } catch (error) {
    for (const file of [PAGE, STAMP]) rmSync(file, { force: true })
    throw error
  }
}

const isCurrent = ({ verify_sha256, inputs }: Stamp): boolean =>
  digestOf(PAGE) === verify_sha256 && inputs.every(({ path, sha256 }) => digestOf(join(ROOT, path)) === sha256)

/** Copying a checkout changes times and not contents; noting the new times only spares the next start a look. */
function restamp({ verify_sha256, inputs }: Stamp): void {
  try {
    writeWhole(
      STAMP,
      stampText(
        verify_sha256,
        inputs.map(({ path }) => path),
      ),
    )
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function readStamp(): Stamp | null {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8')) as Stamp
  } catch (error) {
    // Absent or damaged: build again.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function stampText(verify_sha256: string, paths: readonly string[]): string {
  const inputs = paths.map((path): StampedInput => {
    const { size, mtimeMs } = statSync(join(ROOT, path))
    return { path, sha256: digestOf(join(ROOT, path)) as string, size, mtime_ms: mtimeMs }
  })
  const stamp: Stamp = { schema: 'orch.console-build/v1', verify_sha256, inputs }
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
