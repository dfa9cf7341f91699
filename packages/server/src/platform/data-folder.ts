import { accessSync, chmodSync, constants, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The folder, made where it is missing, or an error whose code says why it cannot be used. Made level by level: the
 *  recursive form never returns on file systems that refuse new folders as if their parent were missing. */
export function openDataFolder(path: string): string {
  const folder = resolve(path)
  const missing: string[] = []
  for (let at = folder; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.unshift(at)
  for (const level of missing) mkdirSync(level, { mode: 0o700 })
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
  accessSync(folder, constants.W_OK | constants.X_OK)
  if (process.platform !== 'win32') closeToOthers(folder, statSync(folder))
  return folder
}

const OTHERS = 0o077

/** Keys, receipts and texts under review lie here: nobody but the owner reads them, whatever the folder was before. A
 *  folder comes before what is in it, so that nobody can put something in between. Links are not followed out of it. */
function closeToOthers(path: string, found: Stats): void {
  if ((found.mode & OTHERS) !== 0) closeOne(path, found.mode)
  if (!found.isDirectory()) return
  for (const name of readdirSync(path)) {
    const below = lstatSync(join(path, name), { throwIfNoEntry: false })
    if (below?.isDirectory() || below?.isFile()) closeToOthers(join(path, name), below)
  }
}

function closeOne(path: string, mode: number): void {
  try {
    chmodSync(path, mode & 0o700)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `other users may use ${path}, and its permissions cannot be taken from them (${code}); make this user its owner, or run chmod go-rwx ${path} as its owner`,
    )
  }
}
