/** Bounds on a document that is walked and evaluated many times over. The walk stops at the first bound it meets. */
import { CanonicalError, canonicalBytes } from '@orch/core'

export const ANALYSIS_LIMITS = Object.freeze({
  bytes: 131_072,
  depth: 20,
  nodes: 12_000,
  stringBytes: 16_384,
  replyBytes: 524_288,
  capsuleBytes: 196_608,
})

/** One sentence on the first bound that is exceeded; null within all of them. Recursion is not used: depth is the sender's. */
export function limitFault(value: unknown): string | null {
  const { depth: maxDepth, nodes: maxNodes, bytes: maxBytes } = ANALYSIS_LIMITS
  const open: [value: unknown, depth: number][] = [[value, 1]]
  for (let nodes = 1; open.length > 0; nodes++) {
    if (nodes > maxNodes) return `holds more than ${maxNodes} values`
    const [node, depth] = open.pop() as [unknown, number]
    if (typeof node === 'string' && isLong(node)) return longText()
    if (typeof node !== 'object' || node === null) continue
    if (depth > maxDepth) return `is nested deeper than ${maxDepth}`
    if (Object.keys(node).some(isLong)) return longText()
    for (const child of Object.values(node)) open.push([child, depth + 1])
  }
  const bytes = byteLength(value)
  if (bytes === null) return 'has no canonical form'
  return bytes > maxBytes ? `is longer than ${maxBytes} bytes` : null
}

const longText = (): string => `holds a text longer than ${ANALYSIS_LIMITS.stringBytes} bytes`

const isLong = (text: string): boolean =>
  text.length > ANALYSIS_LIMITS.stringBytes ||
  (text.length * 3 > ANALYSIS_LIMITS.stringBytes && new TextEncoder().encode(text).length > ANALYSIS_LIMITS.stringBytes)

/** Of the canonical form: white space does not count, and the same document has one size. Null where there is none. */
export function byteLength(value: unknown): number | null {
  try {
    return canonicalBytes(value).length
  } catch (error) {
    if (error instanceof CanonicalError) return null
    throw error
  }
}
