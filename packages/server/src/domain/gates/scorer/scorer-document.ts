/** Reads the weights, by hand as the rules are. The rules name their digest: weights that somebody changed are no weights. */
import { base64Decode, canonicalBytes, sha256Hex } from '@orch/core'
import type { LinearModel, Scorer, WindowSize } from './scorer.ts'

interface ModelDocument {
  slots: number
  windows: WindowSize[]
  least_ngrams: number
  once_in: number
  bias: number
  scale: number
  threshold: number
  calibration: { slope: number; offset: number }
  /** Base64 of 12 bits for each slot, the lower bits first. */
  owners: string
  /** Base64 of one signed byte for each slot. */
  weights: string
}

interface ScorerDocument {
  schema: typeof SCHEMA
  block: number
  short_from: number
  long_from: number
  data_from: number
  short: ModelDocument
  long: ModelDocument
  data: ModelDocument
}

export const SCHEMA = 'orch.threat-scorer/v3'

export const scorerDigest = (document: unknown): string => sha256Hex(canonicalBytes(document))

const MAX_SLOTS = 65_536
const MAX_BLOCKS = 64
const isPowerOfTwo = (value: number): boolean => Number.isInteger(value) && value > 1 && (value & (value - 1)) === 0
const isWithin = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

/** A sentence where the document cannot be used, so that whoever loads the rules refuses them with it. */
export function readScorer(document: unknown, digest: string): Scorer | string {
  if (typeof document !== 'object' || document === null) return 'no weights of the learned scorer'
  if (scorerDigest(document) !== digest) return 'the weights of the learned scorer are not those the rules name'
  const { schema, block, short_from, long_from, data_from, short, long, data } = document as ScorerDocument
  if (schema !== SCHEMA) return `not an ${SCHEMA} document`
  if (!isWithin(block, 16, 4096) || ![short_from, long_from, data_from].every((from) => isWithin(from, 1, 4096)))
    return OUT_OF_BOUNDS
  const models = [short, long, data].map(readModel)
  const refusal = models.find((model) => typeof model === 'string')
  if (typeof refusal === 'string') return refusal
  const [shortModel, longModel, dataModel] = models as [LinearModel, LinearModel, LinearModel]
  const from = { shortFrom: short_from, longFrom: long_from, dataFrom: data_from }
  return { digest, block, ...from, short: shortModel, long: longModel, data: dataModel }
}

const isWindow = ({ blocks, handicap }: Partial<WindowSize>): boolean =>
  isWithin(blocks, 1, MAX_BLOCKS) && Number.isFinite(handicap)

const OUT_OF_BOUNDS = 'the learned scorer has settings out of bounds'

function readModel(fields: ModelDocument | undefined): LinearModel | string {
  if (typeof fields !== 'object' || fields === null) return 'the learned scorer lacks one of its three models'
  const { slope, offset } = fields.calibration ?? {}
  const numbers = [fields.bias, fields.scale, fields.threshold, slope, offset]
  const windows = Array.isArray(fields.windows) && fields.windows.length > 0 && fields.windows.every(isWindow)
  if (
    !windows ||
    !isWithin(fields.least_ngrams, 1, 4096) ||
    !isWithin(fields.once_in, 0, MAX_BLOCKS) ||
    !numbers.every(Number.isFinite)
  )
    return OUT_OF_BOUNDS
  const { slots } = fields
  const [owners, weights] = [base64Decode(String(fields.owners)), base64Decode(String(fields.weights))]
  if (!isPowerOfTwo(slots) || slots > MAX_SLOTS || owners?.length !== 1.5 * slots || weights?.length !== slots)
    return 'the learned scorer has not one weight for each slot'
  return {
    mask: slots - 1,
    owners: unpacked(owners, slots),
    weights: Int8Array.from(weights),
    scale: fields.scale,
    bias: fields.bias,
    threshold: fields.threshold,
    calibration: fields.calibration,
    windows: fields.windows,
    minNgrams: fields.least_ngrams,
    onceIn: fields.once_in,
  }
}

/** Two of 12 bits from every three bytes. */
function unpacked(bytes: Uint8Array, count: number): Uint16Array {
  const values = new Uint16Array(count)
  for (let at = 0, byte = 0; at < count; at += 2, byte += 3) {
    const middle = bytes[byte + 1] as number
    values[at] = (bytes[byte] as number) | ((middle & 15) << 8)
    values[at + 1] = (middle >>> 4) | ((bytes[byte + 2] as number) << 4)
  }
  return values
}
