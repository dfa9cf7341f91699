/** Known answers of surfaces, computed now. A surface that is not part of this build has none: its missing routes are the
 *  inventory's to name. */
import { DATA_SHARDS, decodeShards, encodeShards, hexEncode, TOTAL_SHARDS } from '@orch/core'
import { type Finding, judged } from './check.ts'

export interface SelfTest {
  surface: string
  run(): Promise<{ passed: boolean; detail: string }>
}

/** Operations that test their own surface. A new surface joins with a row; its reply says `ok`, and `self_checks` where
 *  there are several. */
export const SELF_TESTING: readonly { surface: string; path: string }[] = [
  { surface: 'wirea', path: '/api/orch/v1/wirea/healthz' },
  { surface: 'pinn', path: '/api/orch/v1/pinn/health' },
]

/** Parity of 01 02 03 04 05 06, and of six times 53, by the definition of the code. */
const PARITY = [
  { data: [1, 2, 3, 4, 5, 6], parity: 'f2bbb88a' },
  { data: [0x53, 0x53, 0x53, 0x53, 0x53, 0x53], parity: '24249f9f' },
] as const

/** Parity as it was computed by hand, every loss of four shards repaired, and every loss of five refused. */
export const erasureTest = (encode = encodeShards, decode = decodeShards): SelfTest => ({
  surface: 'erasure',
  async run() {
    const wrong: string[] = []
    for (const { data, parity } of PARITY) {
      const shards = encode(Uint8Array.from(data))
      const found = shards.slice(DATA_SHARDS).map(hexEncode).join('')
      if (found !== parity) wrong.push(`parity ${found} in place of ${parity}`)
    }
    const whole = Uint8Array.from(PARITY[0].data)
    const shards = encode(whole)
    const lost = (erased: readonly number[]) =>
      decode(
        shards.map((shard, at) => (erased.includes(at) ? null : shard)),
        whole.length,
      )
    const [four, five] = [subsets(4), subsets(5)]
    const unrepaired = four.filter((erased) => !isEqual(lost(erased), whole)).length
    const unrefused = five.filter((erased) => lost(erased).ok).length
    if (unrepaired > 0) wrong.push(`${unrepaired} losses of four shards were not repaired`)
    if (unrefused > 0) wrong.push(`${unrefused} losses of five shards were not refused`)
    const seen = `${PARITY.length} parities, ${four.length} losses of four repaired, ${five.length} of five refused`
    return { passed: wrong.length === 0, detail: wrong.join('; ') || seen }
  },
})

const isEqual = (result: ReturnType<typeof decodeShards>, data: Uint8Array): boolean =>
  result.ok && hexEncode(result.data) === hexEncode(data)

function subsets(size: number, from = 0): number[][] {
  if (size === 0) return [[]]
  return Array.from({ length: TOTAL_SHARDS - from }, (_, i) => from + i).flatMap((first) =>
    subsets(size - 1, first + 1).map((rest) => [first, ...rest]),
  )
}

export async function runSelfTests(tests: readonly SelfTest[]): Promise<Finding> {
  const rows = await Promise.all(tests.map(async (test) => ({ surface: test.surface, ...(await test.run()) })))
  const failed = rows.filter(({ passed }) => !passed).map(({ surface }) => surface)
  return judged('every self test of this build gives its known answers', { tests: rows }, failed)
}
