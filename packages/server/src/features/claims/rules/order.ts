/** Orders that do not depend on who sorts: by the UTF-8 bytes of the canonical form, which is the order of code points. */
import { canonicalize } from '@orch/core'

/** UTF-16 puts U+E000..U+FFFF behind the pairs; bytes and code points put them before. */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return lifted(left) - lifted(right)
  }
  return a.length - b.length
}

/** Halves of pairs come behind every whole unit. */
const lifted = (unit: number): number => ((unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit)

export const inByteOrder = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, text: canonicalize(item) }))
    .sort((a, b) => compareCodePoints(a.text, b.text))
    .map(({ item }) => item)
