import { statfs } from 'node:fs/promises'
import type { Check } from '../../ports.ts'

/** Read from the file system at every call. */
export const freeBytes = (folder: string, least: number) => async () => {
  const { bavail, bsize } = await statfs(folder)
  return { free: bavail * bsize, least }
}

/** The data folder has room: what cannot be recorded must not be decided. */
export const diskCheck = (folder: string, minFreeBytes: number): Check => ({
  name: 'disk',
  blocking: () => true,
  async run() {
    const { free } = await freeBytes(folder, minFreeBytes)()
    return { state: free >= minFreeBytes ? 'OK' : 'FAILED', detail: { free_bytes: free, min_free_bytes: minFreeBytes } }
  },
})
