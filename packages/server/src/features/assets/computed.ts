/** Assets that are no files: written for the request from what runs. */
import {
  BUILD_VERSION,
  CONJECTURES,
  canonicalBytes,
  DOCTRINE,
  GENESIS_PREV,
  INTERFACE_VERSION,
  KERNEL_COMMIT,
  LAMBDA,
  LAMBDA_FORMULA,
  LOCK,
  LOCKED_FORMULAS,
  SIGNING_SCHEME,
} from '@orch/core'
import { EvidencePackEnvelope, ReceiptBody } from '@orch/core/schemas'
import { type RingKey, ringRecord } from '../../domain/keys.ts'
import { ORGAN_ITEMS } from '../../domain/organ-table.ts'
import { ERRORS } from '../../errors.ts'
import type { ComputedAsset } from './catalog.ts'

export interface Running {
  keys(): Promise<RingKey[]>
  activeKey: string | null
}

const MAKERS: Readonly<Record<ComputedAsset, (running: Running) => unknown>> = {
  doctrine: () => ({
    doctrine: DOCTRINE,
    lambda: { ...LAMBDA, formula: LAMBDA_FORMULA },
    locked_formulas: [...LOCKED_FORMULAS],
    conjectures: { ...CONJECTURES },
    kernel_commit: KERNEL_COMMIT,
    lock: LOCK,
    genesis: GENESIS_PREV,
    interface_version: INTERFACE_VERSION,
    build_version: BUILD_VERSION,
    signing_scheme: SIGNING_SCHEME,
  }),
  'organ-catalog': () => ({ items: ORGAN_ITEMS }),
  'error-codes': () => ({ errors: ERRORS }),
  'receipt-schema': () => ReceiptBody,
  'pack-schema': () => EvidencePackEnvelope,
  'public-keys': async ({ keys, activeKey }) => ({ keys: (await keys()).map((key) => ringRecord(key, activeKey)) }),
}

/** Canonical, so that the digest is the same wherever the same facts are written. */
export async function computedBytes(name: ComputedAsset, running: Running): Promise<Uint8Array> {
  const made = await MAKERS[name](running)
  // A schema carries functions and symbols of its library: what counts of it is its JSON.
  return canonicalBytes(JSON.parse(JSON.stringify(made)))
}
