/** What `nvidia-smi` prints about the graphics processors. */

export const GPU_FIELDS = ['index', 'name', 'memory.total', 'memory.used', 'utilization.gpu', 'driver_version'] as const

interface Gpu {
  index: number
  name: string
  memory_total_mib: number | null
  memory_used_mib: number | null
  utilization_pct: number | null
  driver_version: string
}

const MAX_GPUS = 64
const MAX_NAME = 128

/** Null where a line is not of the form that was asked for: half a table is none. */
export function parseGpus(text: string): Gpu[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length > MAX_GPUS) return null
  const gpus = lines.map(parseLine)
  return gpus.every((gpu) => gpu !== null) ? gpus : null
}

function parseLine(line: string): Gpu | null {
  const parts = line.split(',').map((part) => part.trim())
  const [index, name, total, used, utilization, driver] = parts
  if (parts.length !== GPU_FIELDS.length || !/^\d{1,3}$/.test(index!) || name === '' || name!.length > MAX_NAME)
    return null
  return {
    index: Number(index),
    name: name!,
    memory_total_mib: numberOrNull(total!),
    memory_used_mib: numberOrNull(used!),
    utilization_pct: numberOrNull(utilization!),
    driver_version: driver!.slice(0, MAX_NAME),
  }
}

/** A figure that the driver does not have is written as `[N/A]` or in other words. */
const numberOrNull = (text: string): number | null => (/^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Number(text) : null)
