// Start-up, proof latency and memory at growing sizes. Each is judged against itself at 10,000 receipts: flat is 1.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Scenario } from '../scenario.ts'

const PROGRAM = fileURLToPath(new URL('../programs/scale.ts', import.meta.url))
const SIZES = [10_000, 100_000, 1_000_000] as const
const READINGS = { start_ms: 'ms', proof_ms_p50: 'ms', rss_mib: 'MiB' } as const
type Reading = keyof typeof READINGS

const measured = new Map<number, Promise<Record<Reading, number>>>()

/** A ledger of a million receipts is grown once; its three readings are taken from the same processes. */
function probe(size: number): Promise<Record<Reading, number>> {
  const known = measured.get(size)
  if (known) return known
  const taken = promisify(execFile)(process.execPath, [PROGRAM, 'grow', String(size)]).then(({ stdout }) =>
    JSON.parse(stdout),
  )
  measured.set(size, taken)
  return taken
}

const nameOf = (reading: Reading, size: number): string =>
  `${reading.replace(/_(ms|mib)/, '').replaceAll('_', '-')}-at-${size}`

export const scale: readonly Scenario[] = (Object.keys(READINGS) as Reading[]).flatMap((reading) =>
  SIZES.map((size) => ({
    name: nameOf(reading, size),
    unit: READINGS[reading],
    ...(size === SIZES[0] ? {} : { ratioTo: nameOf(reading, SIZES[0]) }),
    async prepare() {
      return { measure: async () => (await probe(size))[reading], close: async () => undefined }
    },
  })),
)
