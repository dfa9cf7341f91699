/** Where the newest anchor is remembered: next to the ledger, or in memory with a ledger that is in memory itself. The
 *  file is no evidence: whoever edits it changes only which entry is asked for. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Envelope } from '@orch/core'
import Type from 'typebox'
import { writeDurably } from '../../platform/durable-file.ts'
import { readJson } from '../../platform/shape.ts'
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

const Anchor = Type.Object({
  log_index: Type.Integer(),
  entry_uuid: Type.String(),
  publicKeyPem: Type.String(),
  envelope: Type.Unsafe<Envelope>(Type.Object({})),
})

/** Null for a damaged file: then there is no anchor that could be asked for. */
function parseAnchor(text: string): AnchorRecord | null {
  const anchor = readJson(Anchor, text)
  return anchor.ok ? anchor.value : null
}
