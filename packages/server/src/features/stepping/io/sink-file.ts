/** Effects as files. A file stands under the id of its effect once and for all: a repetition finds it there, and another
 *  content under the same id is never written over it. */
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { EffectSink } from '../contract.ts'

/** What a crash left in the middle of a delivery; no delivery takes as long. */
const ABANDONED_MS = 3_600_000

export async function openFileSink({ folder, now }: { folder: string; now(): number }): Promise<EffectSink> {
  const drafts = join(folder, 'drafts')
  await mkdir(drafts, { recursive: true, mode: 0o700 })
  await clear(drafts, now() - ABANDONED_MS)
  return {
    kind: 'file',
    name: `file:${await nameOf(folder, drafts)}`,
    async deliver({ effect_id, bytes }) {
      const shelf = join(folder, effect_id.slice(0, 2))
      const made = await mkdir(shelf, { recursive: true, mode: 0o700 })
      if (made !== undefined) await syncFolder(folder)
      const draft = join(drafts, `${effect_id}.${randomBytes(8).toString('hex')}`)
      try {
        await writeSynced(draft, bytes)
        await place(draft, join(shelf, `${effect_id}.json`), bytes)
        // Also where the file was there already: whoever put it there may have died before this.
        await syncFolder(shelf)
      } finally {
        await removed(draft)
      }
    },
    async delivered(effectId) {
      return readFile(join(folder, effectId.slice(0, 2), `${effectId}.json`)).catch(nullIfAbsent)
    },
  }
}

/** Made with the folder, and moved with it. */
async function nameOf(folder: string, drafts: string): Promise<string> {
  const [file, draft] = [join(folder, 'name'), join(drafts, `name.${randomBytes(8).toString('hex')}`)]
  try {
    await writeSynced(draft, randomBytes(16).toString('hex'))
    await link(draft, file)
    await syncFolder(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await removed(draft)
  }
  return readFile(file, 'utf8')
}

async function place(draft: string, file: string, bytes: Uint8Array): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const there = await readFile(file)
    if (!there.equals(bytes))
      throw Object.assign(new Error('another artifact has this effect id'), { code: 'ARTIFACT_CONFLICT' })
  }
}

async function writeSynced(file: string, bytes: Uint8Array | string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(bytes)
  await handle.sync()
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

async function clear(drafts: string, before: number): Promise<void> {
  for (const name of await readdir(drafts)) {
    const found = await stat(join(drafts, name)).catch(nullIfAbsent)
    if (found !== null && found.mtimeMs < before) await removed(join(drafts, name))
  }
}

async function removed(file: string): Promise<void> {
  await unlink(file).catch(nullIfAbsent)
}

function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
