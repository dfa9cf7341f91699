/** The newest checkpoint in a file. Worth as much as the distance between this file and the store: what restores both
 *  restores the guard too. */
import { readFile } from 'node:fs/promises'
import { type Checkpoint, hexEncode, parseCheckpoint, parseNote } from '@orch/core'
import { GuardUnavailable } from '../../errors.ts'
import type { Guard, GuardKind } from '../../ledger-contract.ts'
import { writeDurably } from '../durable-file.ts'

export function fileGuard(file: string, kind: GuardKind): Guard {
  const unavailable = (what: string) => (error: NodeJS.ErrnoException) => {
    throw new GuardUnavailable(`the guard file cannot be ${what} (${error.code ?? 'unknown error'})`)
  }
  const read = () =>
    readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      // A volume that is not mounted looks like a file that is not there; both are a guard that is missing.
      if (error.code === 'ENOENT') return null
      return unavailable('read')(error)
    })
  return {
    kind,
    newest: read,
    async advance({ note, old }) {
      const [held, next] = [checkpointIn(await read()), checkpointIn(note)]
      // Another node, or a second copy of the ledger, may have moved it: whoever did is looked at before it is replaced.
      if (held !== null && held.origin === next?.origin && !isSame(held, old)) return false
      try {
        writeDurably(file, note)
      } catch (error) {
        unavailable('written')(error as NodeJS.ErrnoException)
      }
      return true
    },
  }
}

const isSame = (held: Checkpoint, old: Checkpoint | null): boolean =>
  held.size === old?.size && hexEncode(held.root) === hexEncode(old.root)

/** Unverified: it only says whether the file has moved on meanwhile. */
function checkpointIn(note: string | null): Checkpoint | null {
  const parsed = note === null ? null : parseNote(note)
  return parsed === null ? null : parseCheckpoint(parsed.text)
}
