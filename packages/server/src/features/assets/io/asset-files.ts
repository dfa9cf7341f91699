/** The project's own artifacts as they lie in the checkout, read anew for every request. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { AssetFiles, FoundAsset } from '../../../ports.ts'
import { ASSET_PLACES, type AssetFile } from '../catalog.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..', '..', '..')
const MAX_BYTES = 8 * 1024 * 1024
const MAX_ENTRIES = 256

/** `elsewhere`: places of their own, where what runs was not read from the checkout. */
export const assetFiles = (root: string = ROOT, elsewhere: Partial<Record<AssetFile, string>> = {}): AssetFiles => ({
  async read(name) {
    try {
      return await found(elsewhere[name] ?? join(root, ASSET_PLACES[name]))
    } catch (error) {
      return { present: false, reason: reasonOf(error) }
    }
  },
})

/** No path of the machine is shown to whoever asks. */
class TooLarge extends Error {}

async function found(place: string): Promise<FoundAsset> {
  const about = await stat(place)
  if (!about.isDirectory()) return { present: true, bytes: await bytesOf(place), modifiedAt: about.mtime.toISOString() }
  const names = await fileNames(place)
  const files = await Promise.all(names.map((name) => fileOf(place, name)))
  const newest = files.reduce((latest, { modifiedAt }) => (modifiedAt > latest ? modifiedAt : latest), '')
  const lines = files.map(({ name, sha256 }) => `${sha256} ${name}\n`).sort()
  return { present: true, bytes: Buffer.from(lines.join('')), modifiedAt: newest === '' ? null : newest }
}

/** Below the folder, with `/` between; what is not a plain file, a link for one, is left out. */
async function fileNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const plain = entries.filter((entry) => entry.isFile())
  if (plain.length > MAX_ENTRIES) throw new TooLarge()
  return plain.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
}

async function fileOf(folder: string, name: string) {
  const place = join(folder, name)
  const [bytes, about] = await Promise.all([bytesOf(place), stat(place)])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { name, sha256, modifiedAt: about.mtime.toISOString() }
}

async function bytesOf(place: string): Promise<Uint8Array> {
  if ((await stat(place)).size > MAX_BYTES) throw new TooLarge()
  return readFile(place)
}

function reasonOf(error: unknown): string {
  if (error instanceof TooLarge) return 'it is larger than is served'
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'it is not part of this build' : `it cannot be read (${code ?? 'UNKNOWN'})`
}
