/** The record of a computation that a caller keeps: digests of what was answered, and who computed it. Nobody signs it and
 *  nothing is stored. */
import { canonicalBytesPortable, sha256Hex } from '@orch/core'

const digestOf = (value: unknown): string => sha256Hex(canonicalBytesPortable(value))

/** `payload_sha256` covers the reply without the record, `record_sha256` the record without itself. */
export function withComputation<T extends object>(reply: T, component_version: string, source_revision: string) {
  const record = {
    schema: 'orch.finance.computation/v1',
    payload_sha256: digestOf(reply),
    component_version,
    source_revision,
    signed: false,
    persistence: 'CALLER_HELD',
    authority: 'NONE',
  } as const
  return { ...reply, computation: { ...record, record_sha256: digestOf(record) } }
}
