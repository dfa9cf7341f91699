// Folders in a shared temp directory. Anybody on the machine can create names there first, so a folder is used only
// when it is a real directory of ours that nobody else can write to.
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

export const UNPRIVILEGED_UID = 65534
export const isRoot = (): boolean => process.getuid?.() === 0

// As root a server runs as nobody, who must be able to enter the folder it is started from.
const folderMode = (): number => (isRoot() ? 0o711 : 0o700)
const base = (): string => (isRoot() ? '/tmp' : tmpdir())

const MEMORY_FOLDER = '/dev/shm'
const TMPFS = 0x01021994
const MIN_MEMORY_BYTES = 4 * 2 ** 30

/** A file system in memory with room to spare, where waiting for the disk costs nothing: what a test proves of a crash it
 *  proves by killing processes, which lose no file of either kind. */
function memoryFolder(): string | null {
  if (process.platform !== 'linux' || process.availableMemory() < MIN_MEMORY_BYTES) return null
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY_FOLDER)
    accessSync(MEMORY_FOLDER, constants.W_OK)
    return type === TMPFS && bavail * bsize >= MIN_MEMORY_BYTES ? MEMORY_FOLDER : null
  } catch {
    return null
  }
}

/** A new folder nobody else can name beforehand, for one run. */
export function freshFolder(purpose: string): string {
  return mkdtempSync(join(memoryFolder() ?? base(), `orch-${purpose}-`))
}

/** The one folder kept between runs, for unpacked binaries. */
function cacheFolder(): string {
  const folder = join(base(), `orch-test-${process.getuid?.() ?? 'user'}`)
  mkdirSync(folder, { recursive: true, mode: folderMode() })
  const found = lstatSync(folder)
  const foreign = process.getuid !== undefined && found.uid !== process.getuid()
  if (!found.isDirectory() || foreign || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a private folder of this user: remove it and run again`)
  }
  return folder
}

/** `fill` writes into a folder of its own that is renamed when complete: two processes never see half of it. */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const wanted = join(cacheFolder(), name)
  if (lstatSync(wanted, { throwIfNoEntry: false })) return wanted
  const draft = mkdtempSync(`${wanted}.draft-`)
  try {
    await fill(draft)
    chmodSync(draft, folderMode())
    publish(draft, wanted)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return wanted
}

function publish(draft: string, wanted: string): void {
  try {
    renameSync(draft, wanted)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') {
      throw new Error(`${basename(wanted)} could not be put into ${dirname(wanted)}`, { cause: error })
    }
  }
}
