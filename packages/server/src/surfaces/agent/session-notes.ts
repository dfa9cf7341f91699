/** A session's notes in the store. They change only together with the receipt of the step that changes them. */
import type { Note } from '../../domain/agent/notes.ts'
import { documentKey } from '../../domain/document-key.ts'
import { partitionName } from '../../domain/partition.ts'
import type { DocumentWrite } from '../../ledger-contract.ts'
import type { Call } from '../../operation.ts'
import type { Ledger } from '../../ports.ts'

const SPACE = 'agent.notes'

export interface HeldNotes {
  notes: Note[]
  version: number
}

const keyOf = ({ namespace, owner }: Call['caller'], session: string) => documentKey(namespace, owner, session)

export async function readNotes(ledger: Ledger, caller: Call['caller'], session: string): Promise<HeldNotes> {
  const row = await ledger.reader.document(SPACE, keyOf(caller, session))
  if (row === null) return { notes: [], version: 0 }
  return { notes: (JSON.parse(row.value) as { notes: Note[] }).notes, version: row.version }
}

/** No notes left: the record goes as well. Null where there is nothing to write. */
export function notesWrite(
  caller: Call['caller'],
  session: string,
  held: HeldNotes,
  notes: Note[],
  now: number,
): DocumentWrite | null {
  if (notes.length === 0 && held.version === 0) return null
  return {
    space: SPACE,
    key: keyOf(caller, session),
    expect: held.version,
    owner: partitionName(caller),
    state: 'open',
    rank: now,
    value: notes.length === 0 ? null : JSON.stringify({ notes }),
  }
}
