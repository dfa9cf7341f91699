/** The files of the model, each looked at anew: a plain file in the folder, of the length and digest that is stated. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type FoundFile =
  | { state: 'there'; bytes: number; sha256: string; text: () => Promise<string> }
  | { state: 'absent' }
  | { state: 'refused'; reason: string }

export interface ModelFiles {
  look(name: string): Promise<FoundFile>
}

/** Whether this build has a model at all. */
export const hasModel = (folder: string, list: string): boolean => existsSync(join(folder, list))

const PLAIN_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

export function openModelFiles(folder: string): ModelFiles {
  /** A digest counts as long as nothing about the file changed; the time of the change cannot be set by hand. */
  const known = new Map<string, { key: string; sha256: string }>()
  return {
    async look(name) {
      if (!PLAIN_NAME.test(name)) return { state: 'refused', reason: 'the name is no plain name in the folder' }
      const path = join(folder, name)
      const stats = await lstat(path).catch(absent)
      if (stats === null) return { state: 'absent' }
      if (!stats.isFile()) return { state: 'refused', reason: 'it is no plain file' }
      const key = [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join()
      const cached = known.get(name)
      const text = () => readFile(path, 'utf8')
      if (cached?.key === key) return { state: 'there', bytes: stats.size, sha256: cached.sha256, text }
      const bytes = await readFile(path).catch(absent)
      if (bytes === null) return { state: 'absent' }
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      known.set(name, { key, sha256 })
      return { state: 'there', bytes: bytes.length, sha256, text }
    },
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'EACCES' || error.code === 'ENOTDIR') return null
  throw error
}
