/** The energy counters that the kernel keeps of the processor's packages. Most machines let only root read them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = '/sys/class/powercap'
const MAX_ZONES = 32
/** A zone of its own, not a part of another: what a part used is counted in the whole. */
const ZONE = /^[a-z-]{1,32}:\d{1,4}$/

interface EnergyCounter {
  zone: string
  name: string
  /** Microjoules; starts again at `range`. */
  energy: bigint
  range: bigint
}

/** Every counter that answers now; empty where there is none or none may be read. */
export async function readCounters(root: string = ROOT): Promise<EnergyCounter[]> {
  const zones = (await readdir(root).catch(unreadable<string[]>([]))).filter((name) => ZONE.test(name)).sort()
  const counters = await Promise.all(zones.slice(0, MAX_ZONES).map((zone) => readCounter(root, zone)))
  return counters.filter((counter) => counter !== null)
}

async function readCounter(root: string, zone: string): Promise<EnergyCounter | null> {
  const file = async (name: string) => (await readFile(join(root, zone, name), 'utf8').catch(unreadable(''))).trim()
  const [name, energy, range] = [await file('name'), await file('energy_uj'), await file('max_energy_range_uj')]
  return /^\d{1,18}$/.test(energy) && /^\d{1,18}$/.test(range)
    ? { zone, name, energy: BigInt(energy), range: BigInt(range) }
    : null
}

/** No such file, no permission: such a machine has no meter for us. */
const unreadable =
  <T>(otherwise: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code !== undefined) return otherwise
    throw error
  }
