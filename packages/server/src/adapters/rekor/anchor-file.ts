/** Where the newest anchor is remembered: beside the ledger, or in memory with a ledger that is in memory itself. The
 *  file is no evidence: whoever edits it changes only which entry is asked for. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '../../platform/durable-file.ts'
import type { AnchorMemory, AnchorRecord } from './anchoring.ts'

const ANCHOR_FILE = 'rekor-anchor.json'

export function anchorFile(folder: string): AnchorMemory {
  const file = join(folder, ANCHOR_FILE)
  return {
    load: () => (existsSync(file) ? parseAnchor(readFileSync(file, 'utf8')) : null),
    save: (record) => writeDurably(file, JSON.stringify(record)),
  }
}

export function anchorInMemory(): AnchorMemory {
  let stored: AnchorRecord | null = null
  return {
    load: () => stored,
    save: (record) => {
      stored = record
    },
  }
}

/** Null for a damaged file: then there is no anchor that could be asked for. */
function parseAnchor(text: string): AnchorRecord | null {
  try {
    const value = JSON.parse(text) as AnchorRecord | null
    const fits =
      Number.isSafeInteger(value?.log_index) &&
      typeof value?.entry_uuid === 'string' &&
      typeof value.publicKeyPem === 'string' &&
      typeof value.envelope === 'object'
    return fits ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
