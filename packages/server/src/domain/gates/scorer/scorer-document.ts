/** Reads the weights, by hand as the rules are. The rules name their digest: weights that somebody changed are no weights. */
import { base64Decode, canonicalBytes, sha256Hex } from '@orch/core'
import type { Scorer } from './scorer.ts'

interface ScorerDocument {
  schema: 'orch.threat-scorer/v1'
  slots: number
  block: number
  windows: number[]
  least_ngrams: number
  bias: number
  scale: number
  threshold: number
  /** Base64 of 16 bits for each slot, the lower byte first. */
  owners: string
  /** Base64 of one signed byte for each slot. */
  weights: string
}

export const scorerDigest = (document: unknown): string => sha256Hex(canonicalBytes(document))

const MAX_SLOTS = 65_536
const MAX_BLOCKS = 64
const isPowerOfTwo = (value: number): boolean => Number.isInteger(value) && value > 0 && (value & (value - 1)) === 0
const isWithin = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

/** A sentence where the document cannot be used, so that whoever loads the rules refuses them with it. */
export function readScorer(document: unknown, digest: string): Scorer | string {
  if (typeof document !== 'object' || document === null) return 'no weights of the learned scorer'
  if (scorerDigest(document) !== digest) return 'the weights of the learned scorer are not those the rules name'
  const fields = document as ScorerDocument
  if (fields.schema !== 'orch.threat-scorer/v1') return 'not an orch.threat-scorer/v1 document'
  const numbers = [fields.bias, fields.scale, fields.threshold]
  const windows = Array.isArray(fields.windows) && fields.windows.every((size) => isWithin(size, 1, MAX_BLOCKS))
  const bounded = isWithin(fields.block, 16, 4096) && isWithin(fields.least_ngrams, 1, 4096)
  if (!windows || !bounded || !numbers.every(Number.isFinite)) return 'the learned scorer has settings out of bounds'
  const { slots } = fields
  const [owners, weights] = [base64Decode(String(fields.owners)), base64Decode(String(fields.weights))]
  if (!isPowerOfTwo(slots) || slots > MAX_SLOTS || owners?.length !== 2 * slots || weights?.length !== slots)
    return 'the learned scorer has not one weight for each slot'
  return {
    digest,
    mask: slots - 1,
    owners: Uint16Array.from({ length: slots }, (_, at) => owners[2 * at]! | (owners[2 * at + 1]! << 8)),
    weights: Int8Array.from(weights),
    scale: fields.scale,
    bias: fields.bias,
    threshold: fields.threshold,
    block: fields.block,
    windows: fields.windows,
    minNgrams: fields.least_ngrams,
  }
}
