import { statfs } from 'node:fs/promises'
import type { Check } from '../../ports.ts'

/** The data folder has room: what cannot be recorded must not be decided. */
export const diskCheck = (folder: string, minFreeBytes: number): Check => ({
  name: 'disk',
  blocking: () => true,
  async run() {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    return { state: free >= minFreeBytes ? 'OK' : 'FAILED', detail: { free_bytes: free, min_free_bytes: minFreeBytes } }
  },
})
