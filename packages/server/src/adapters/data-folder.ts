import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The folder, made where it is missing, or an error whose code says why it cannot be used. Made level by level: the
 *  recursive form never returns on file systems that refuse new folders as if their parent were missing. */
export function openDataFolder(path: string): string {
  const folder = resolve(path)
  const missing: string[] = []
  for (let at = folder; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.unshift(at)
  for (const level of missing) mkdirSync(level, { mode: 0o700 })
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
  accessSync(folder, constants.W_OK | constants.X_OK)
  return folder
}
