import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The file holds the old bytes or the new ones, never a part, also when the power fails in between. */
export function writeDurably(file: string, data: string | Uint8Array, mode = 0o600): void {
  const next = `${file}.next`
  const handle = openSync(next, 'w', mode)
  try {
    // One that an interrupted write left behind keeps its own mode.
    fchmodSync(handle, mode)
    writeSync(handle, typeof data === 'string' ? Buffer.from(data) : data)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(next, file)
  syncFolder(dirname(file))
}

/** The same without holding up the event loop. One call at a time for a file. */
export async function writeFileDurably(file: string, data: string, mode = 0o600): Promise<void> {
  const next = `${file}.next`
  const handle = await open(next, 'w', mode)
  try {
    await handle.writeFile(data)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(next, file)
  if (process.platform === 'win32') return
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
