/** The list of the model's files, which vouches for its own bytes as well. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { isRecord } from '../../domain/stored-receipt.ts'

interface ManifestRow {
  path: string
  bytes: number
  sha256: string
}

export interface Manifest {
  candidate_id: string
  provider_id: string
  /** The forward pass that a model must repeat: the digest of the logits after this prompt. */
  reload: { prompt: string; logits_sha256: string }
  files: readonly ManifestRow[]
}

const SCHEMA = 'orch.m1-manifest/v1'

export function manifestText(payload: Manifest): string {
  const sha256 = sha256Hex(canonicalBytes(payload))
  return `${JSON.stringify({ schema: SCHEMA, sha256, payload }, null, 1)}\n`
}

/** Null where a single byte is not what it was when the list was written. */
export function readManifest(text: string): Manifest | null {
  const parsed = parsedOrNull(text)
  if (!isRecord(parsed) || !isRecord(parsed.payload)) return null
  const payload = parsed.payload as unknown as Manifest
  return manifestText(payload) === text ? payload : null
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
