/** Receipts that anybody can replay: the input, the output and their digests. Nobody signs them; the ledger receipt is the
 *  signed one. */
import { portableDigest } from '../../domain/portable-digest.ts'
import { type Difference, firstDifference, isBranch } from './first-difference.ts'
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

/** Which of its three digests are those of what it holds. */
export function digestsOf(receipt: ReplayReceipt) {
  const { receipt_sha256, ...rest } = receipt
  return {
    hash_valid: portableDigest(rest) === receipt_sha256,
    input_digest_valid: portableDigest(receipt.input) === receipt.input_sha256,
    output_digest_valid: portableDigest(receipt.output) === receipt.output_sha256,
  }
}

export function judgeReceipt(receipt: ReplayReceipt, outcome: Outcome): ReplayVerdict {
  const digests = digestsOf(receipt)
  const first_difference = 'output' in outcome ? firstDifference(receipt.output, outcome.output) : null
  const replay_equal = 'output' in outcome && first_difference === null
  return {
    ...{ ...digests, replay_equal, first_difference },
    replay_error: 'error' in outcome ? outcome.error : null,
    valid: Object.values(digests).every(Boolean) && replay_equal,
  }
}

/** How many levels of lists and objects a value has, counted no further than one more than allowed. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (!isBranch(value)) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}
