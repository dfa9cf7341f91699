/** Receipts that anybody can replay: the input, the output and their digests. Nobody signs them; the ledger receipt is the
 *  signed one. */
import { portableDigest } from '../../domain/portable-digest.ts'
import { type Computing, MODE, RECEIPT_SCHEMA, type ReplayReceipt, SIGNATURE_STATE } from './schemas.ts'

export function replayReceipt(operation: Computing, input: object, output: object): ReplayReceipt {
  const receipt: Omit<ReplayReceipt, 'receipt_sha256'> = {
    schema_version: RECEIPT_SCHEMA,
    operation,
    mode: MODE,
    effectors: 0,
    provider_calls: 0,
    input: input as Record<string, unknown>,
    input_sha256: portableDigest(input),
    output: output as Record<string, unknown>,
    output_sha256: portableDigest(output),
    signature_state: SIGNATURE_STATE,
  }
  return { ...receipt, receipt_sha256: portableDigest(receipt) }
}

interface Difference {
  /** RFC 6901, within the output. */
  pointer: string
  expected: unknown
  got: unknown
}

export interface ReplayVerdict {
  hash_valid: boolean
  input_digest_valid: boolean
  output_digest_valid: boolean
  replay_equal: boolean
  /** `expected` is what the receipt says, `got` what was computed now. */
  first_difference: Difference | null
  replay_error: string | null
  valid: boolean
}

/** What a computation came to: its output, or why it refused. */
export type Outcome = { output: object } | { error: string }

export function judgeReceipt(receipt: ReplayReceipt, outcome: Outcome): ReplayVerdict {
  const { receipt_sha256, ...rest } = receipt
  const hash_valid = portableDigest(rest) === receipt_sha256
  const input_digest_valid = portableDigest(receipt.input) === receipt.input_sha256
  const output_digest_valid = portableDigest(receipt.output) === receipt.output_sha256
  const first_difference = 'output' in outcome ? firstDifference(receipt.output, outcome.output) : null
  const replay_equal = 'output' in outcome && first_difference === null
  return {
    ...{ hash_valid, input_digest_valid, output_digest_valid, replay_equal, first_difference },
    replay_error: 'error' in outcome ? outcome.error : null,
    valid: hash_valid && input_digest_valid && output_digest_valid && replay_equal,
  }
}

/** In canonical order: fields by name, items by place. What is absent is shown as null. */
export function firstDifference(expected: unknown, got: unknown, pointer = ''): Difference | null {
  if (Object.is(expected, got) || (expected === 0 && got === 0)) return null
  if (!isBranch(expected) || !isBranch(got) || Array.isArray(expected) !== Array.isArray(got))
    return { pointer, expected: shown(expected), got: shown(got) }
  const all = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
  const names = Array.isArray(expected) ? all.sort((a, b) => Number(a) - Number(b)) : all.sort()
  for (const name of names) {
    const [a, b] = [expected, got].map((branch) => (Object.hasOwn(branch, name) ? branch[name] : undefined))
    const found = firstDifference(a, b, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    if (found !== null) return found
  }
  return null
}

const isBranch = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object'

/** A whole branch in the place of a value would make the reply as long as the receipt. */
const shown = (value: unknown): unknown =>
  value === undefined ? null : isBranch(value) ? (Array.isArray(value) ? '[list]' : '[object]') : value

/** How many levels of lists and objects a value has, counted no further than one more than allowed. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (!isBranch(value)) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}
