/** Where the parts of an inclusion path stand in the drawing: from the leaf along the trunk to the root, each sibling as
 *  the part of the log that it stands for. */
import type { InclusionStep } from '@orch/core'

interface Sibling {
  /** Earlier leaves stand above the trunk, later ones below it. */
  isEarlier: boolean
  covers: number
  hash: string
  x: number
  /** Half of the width of its triangle. */
  half: number
  node: number
}

export const TRUNK = { from: 118, to: 932, y: 136 } as const
export const TALL = { x: 168, top: 142, step: 42 } as const

const MAX_OFFSET = 34

export function wideLayout(steps: readonly InclusionStep[], hex: (bytes: Uint8Array) => string): Sibling[] {
  const gap = (TRUNK.to - TRUNK.from) / Math.max(1, steps.length)
  const most = Math.min(38, gap * 0.46)
  return steps.map(({ side, covers, sibling }, at) => {
    const node = TRUNK.from + gap * (at + 1)
    return {
      isEarlier: side === 'left',
      covers,
      hash: hex(sibling),
      x: node - Math.min(MAX_OFFSET, gap * 0.46),
      half: Math.min(most, 9 + 2.05 * Math.log2(covers)),
      node,
    }
  })
}

export const triangleOf = ({ x, half, isEarlier }: Sibling): string => {
  const height = half * 1.5
  const [apex, base] = isEarlier ? [62 + height / 2, 62 - height / 2] : [210 - height / 2, 210 + height / 2]
  return `M${x} ${apex}L${x - half} ${base}H${x + half}z`
}

/** Lines inside a triangle that show it is a tree; none for a single leaf. */
export const veinsOf = ({ x, half, isEarlier, covers }: Sibling): string => {
  if (covers === 1) return ''
  const height = half * 1.5
  const [apex, base] = isEarlier ? [62 + height / 2, 62 - height / 2] : [210 - height / 2, 210 + height / 2]
  const middle = (apex + base) / 2
  return covers < 4
    ? `M${x} ${apex}V${base}`
    : `M${x} ${apex}L${x - half / 3} ${base}M${x} ${apex}L${x + half / 3} ${base}M${x - half / 2} ${middle}H${x + half / 2}`
}

/** The first receipt has nothing earlier and the newest nothing later: that side takes no room. */
export const wideFrame = (siblings: readonly Sibling[]): { top: number; bottom: number } => ({
  top: siblings.some(({ isEarlier }) => isEarlier) ? 0 : 50,
  bottom: siblings.some(({ isEarlier }) => !isEarlier) ? 282 : 226,
})

export const branchOf = ({ x, half, isEarlier, node }: Sibling): string => {
  const start = isEarlier ? 62 + half * 0.75 : 210 - half * 0.75
  const bend = isEarlier ? 122 : 150
  return `M${x} ${start}C${x} ${bend} ${node - 12} ${TRUNK.y} ${node} ${TRUNK.y}`
}

/** Baselines of the two lines beside a triangle. */
export const captionsOf = ({ half, isEarlier }: Sibling): { hash: number; covers: number } =>
  isEarlier
    ? { hash: 62 - half * 0.75 - 20, covers: 62 - half * 0.75 - 6 }
    : { hash: 210 + half * 0.75 + 14, covers: 210 + half * 0.75 + 28 }

/** The leaf stands below, the root above. */
export const tallHeight = (steps: number): number => TALL.top + TALL.step * Math.max(1, steps) + 80
export const tallNode = (steps: number, at: number): number => TALL.top + TALL.step * (Math.max(1, steps) - at - 1)
