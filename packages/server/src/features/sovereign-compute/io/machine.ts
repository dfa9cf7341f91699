/** The processor and the memory of the machine, and what the process may use of them. */
import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus, freemem, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { groupFolders, quotaCores, tightest } from '../cgroup.ts'
import type { Found } from '../probe.ts'

const ROOT = '/sys/fs/cgroup'

export async function lookAtProcessor(): Promise<Found> {
  const found = cpus()
  const [one, five, fifteen] = loadavg().map((load) => Math.round(load * 100) / 100)
  return {
    tier: 'LIVE-SOVEREIGN',
    facts: {
      model: found[0]?.model.trim() || null,
      architecture: process.arch,
      cores: found.length,
      cores_usable: availableParallelism(),
      cgroup_quota_cores: await cpuQuota(),
      load_1m: one,
      load_5m: five,
      load_15m: fifteen,
    },
  }
}

export async function lookAtMemory(): Promise<Found> {
  const total = totalmem()
  const limit = process.constrainedMemory()
  return {
    tier: 'LIVE-SOVEREIGN',
    facts: {
      total_bytes: total,
      free_bytes: freemem(),
      // Without a limit the kernel names a number greater than any memory.
      cgroup_limit_bytes: limit > 0 && limit < total ? limit : null,
      process_rss_bytes: process.memoryUsage.rss(),
    },
  }
}

/** The tightest quota of the group and of those above it; a group without the file sets none. */
async function cpuQuota(): Promise<number | null> {
  const folders = groupFolders(await readText('/proc/self/cgroup'))
  const quotas = await Promise.all(
    folders.map(async (folder) => quotaCores(await readText(join(ROOT, folder, 'cpu.max')))),
  )
  return tightest(quotas)
}

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error
    return ''
  })
