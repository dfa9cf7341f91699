/** A session's notes in the store. They change only together with the receipt of the step that changes them. */

import { documentKey } from '../../domain/document-key.ts'
import { partitionName } from '../../domain/partition.ts'
import { ServiceError } from '../../errors.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import type { Note } from './rules/notes.ts'

const SPACE = 'agent.notes'

export interface NotesDocument {
  notes: Note[]
  version: number
}

const keyOf = ({ namespace, owner }: Call['caller'], session: string) => documentKey(namespace, owner, session)

type Deps = Pick<Ports, 'ledger' | 'governance'>

/** What was noted is told to the agent as its own, so it must be what was noted. */
export async function readNotes({ ledger, governance }: Deps, caller: Call['caller'], session: string) {
  const row = await ledger.reader.document(SPACE, keyOf(caller, session))
  if (row === null) return { notes: [], version: 0 }
  if (!(await governance.matchesHead(row)))
    throw new ServiceError('stored_record_altered', 'the notes of this session are not what its receipts say')
  return { notes: (JSON.parse(row.value) as { notes: Note[] }).notes, version: row.version }
}

/** No notes left: the record goes as well. Null where there is nothing to write. */
export function notesWrite(
  caller: Call['caller'],
  session: string,
  stored: NotesDocument,
  notes: Note[],
  now: number,
): DocumentWrite | null {
  if (notes.length === 0 && stored.version === 0) return null
  return {
    space: SPACE,
    key: keyOf(caller, session),
    expect: stored.version,
    owner: partitionName(caller),
    state: 'open',
    rank: now,
    value: notes.length === 0 ? null : JSON.stringify({ notes }),
  }
}
