/** The newest checkpoint in a file. Worth as much as the distance between this file and the store: what restores both
 *  restores the guard too. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { type Checkpoint, hexEncode, parseCheckpoint, parseNote } from '@orch/core'
import { GuardUnavailable } from '../../errors.ts'
import type { Guard, GuardKind } from '../../ledger/contract.ts'
import { writeDurably } from '../../platform/durable-file.ts'

export function fileGuard(file: string, kind: GuardKind): Guard {
  const unavailable = (what: string) => (error: NodeJS.ErrnoException) => {
    throw new GuardUnavailable(`the guard file cannot be ${what} (${error.code ?? 'unknown error'})`)
  }
  const read = () =>
    readPlainFile(file).catch((error: NodeJS.ErrnoException) => {
      // A volume that is not mounted looks like a file that is not there; both are a guard that is missing.
      if (error.code === 'ENOENT') return null
      if (error instanceof GuardUnavailable) throw error
      return unavailable('read')(error)
    })
  return {
    kind,
    newest: read,
    async advance({ note, old }) {
      const [stored, next] = [checkpointIn(await read()), checkpointIn(note)]
      // Another node, or a second copy of the ledger, may have moved it: whoever did is looked at before it is replaced.
      if (stored !== null && stored.origin === next?.origin && !isSame(stored, old)) return false
      try {
        writeDurably(file, note)
      } catch (error) {
        unavailable('written')(error as NodeJS.ErrnoException)
      }
      return true
    },
  }
}

/** Without waiting for somebody to write into a pipe, and no other thing than a file. */
async function readPlainFile(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw new GuardUnavailable(NOT_PLAIN)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

const NOT_PLAIN = 'ORCH_GUARD names something that is no plain file; name a file or the URL of a witness'

const isSame = (stored: Checkpoint, old: Checkpoint | null): boolean =>
  stored.size === old?.size && hexEncode(stored.root) === hexEncode(old.root)

/** Unverified: it only says whether the file has moved on meanwhile. */
function checkpointIn(note: string | null): Checkpoint | null {
  const parsed = note === null ? null : parseNote(note)
  return parsed === null ? null : parseCheckpoint(parsed.text)
}
