/** Reads the weights, by hand as the rules are. The rules name their digest: weights that somebody changed are no weights. */
import { base64Decode, canonicalBytes, sha256Hex } from '@orch/core'
import type { LinearModel, Scorer, WindowSize } from './scorer.ts'

interface ModelDocument {
  slots: number
  windows: WindowSize[]
  least_ngrams: number
  bias: number
  scale: number
  threshold: number
  calibration: { slope: number; offset: number }
  /** Base64 of 16 bits for each slot, the lower byte first. */
  owners: string
  /** Base64 of one signed byte for each slot. */
  weights: string
}

interface ScorerDocument {
  schema: 'orch.threat-scorer/v2'
  block: number
  short_from: number
  long_from: number
  short: ModelDocument
  long: ModelDocument
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
  const { schema, block, short_from, long_from, short, long } = document as ScorerDocument
  if (schema !== 'orch.threat-scorer/v2') return 'not an orch.threat-scorer/v2 document'
  if (!isWithin(block, 16, 4096) || !isWithin(short_from, 1, 4096) || !isWithin(long_from, 1, 4096))
    return OUT_OF_BOUNDS
  const models = [readModel(short), readModel(long)]
  const refusal = models.find((model) => typeof model === 'string')
  if (typeof refusal === 'string') return refusal
  const [shortModel, longModel] = models as [LinearModel, LinearModel]
  return { digest, block, shortFrom: short_from, longFrom: long_from, short: shortModel, long: longModel }
}

const isWindow = ({ blocks, handicap }: Partial<WindowSize>): boolean =>
  isWithin(blocks, 1, MAX_BLOCKS) && Number.isFinite(handicap)

const OUT_OF_BOUNDS = 'the learned scorer has settings out of bounds'

function readModel(fields: ModelDocument | undefined): LinearModel | string {
  if (typeof fields !== 'object' || fields === null) return 'the learned scorer lacks one of its two models'
  const { slope, offset } = fields.calibration ?? {}
  const numbers = [fields.bias, fields.scale, fields.threshold, slope, offset]
  const windows = Array.isArray(fields.windows) && fields.windows.length > 0 && fields.windows.every(isWindow)
  if (!windows || !isWithin(fields.least_ngrams, 1, 4096) || !numbers.every(Number.isFinite)) return OUT_OF_BOUNDS
  const { slots } = fields
  const [owners, weights] = [base64Decode(String(fields.owners)), base64Decode(String(fields.weights))]
  if (!isPowerOfTwo(slots) || slots > MAX_SLOTS || owners?.length !== 2 * slots || weights?.length !== slots)
    return 'the learned scorer has not one weight for each slot'
  return {
    mask: slots - 1,
    owners: Uint16Array.from({ length: slots }, (_, at) => owners[2 * at]! | (owners[2 * at + 1]! << 8)),
    weights: Int8Array.from(weights),
    scale: fields.scale,
    bias: fields.bias,
    threshold: fields.threshold,
    calibration: fields.calibration,
    windows: fields.windows,
    minNgrams: fields.least_ngrams,
  }
}
