/** Readings without a proof. Apart from the client, so that a service without a log does not load what verifies one. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Envelope } from '@orch/core'
import Type, { type Static } from 'typebox'
import { writeDurably } from '../../platform/durable-file.ts'
import { readJson } from '../../platform/shape.ts'
import type { Anchoring, AnchorReading } from '../../ports.ts'
import type { AnchorMemory } from './anchoring.ts'

const empty = { log_index: null, entry_uuid: null, inclusion_proof: null, bundle: null, checkpoint: null }

export const nothing = (note: string): AnchorReading => ({
  ...empty,
  status: 'NOT_ATTEMPTED',
  attempted: false,
  reachable: null,
  note,
})

export const unreachable = (code: string): AnchorReading => ({
  ...empty,
  status: 'UNREACHABLE',
  attempted: true,
  reachable: false,
  note: `the external log did not give a usable answer (${code})`,
})

export const invalid = (reason: string): AnchorReading => ({
  ...empty,
  status: 'INVALID',
  attempted: true,
  reachable: true,
  note: `the external log answered, and its answer does not hold: ${reason}`,
})

export const noAnchoring: Anchoring = {
  configured: false,
  anchor: async () => nothing('no external transparency log is configured'),
  read: async () => nothing('no external transparency log is configured'),
}

const ANCHOR_FILE = 'rekor-anchor.json'

/** Where the newest anchor is remembered: next to the ledger, or in memory with a ledger that is in memory itself. The
 *  file is no evidence: whoever edits it changes only which entry is asked for. */
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

/** What is remembered of an anchor between requests: where it is and what was put there. Never a proof. */
const Anchor = Type.Object({
  log_index: Type.Integer(),
  entry_uuid: Type.String(),
  publicKeyPem: Type.String(),
  envelope: Type.Unsafe<Envelope>(Type.Object({})),
})
export type AnchorRecord = Static<typeof Anchor>

/** Null for a damaged file: then there is no anchor that could be asked for. */
function parseAnchor(text: string): AnchorRecord | null {
  const anchor = readJson(Anchor, text)
  return anchor.ok ? anchor.value : null
}
