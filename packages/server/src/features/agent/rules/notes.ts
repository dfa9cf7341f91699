/** What a session noted down, as one record that commits with the receipt of the step that changes it. */
export interface Note {
  name: string
  text: string
}

export const MOST_NOTES = 128
const MOST_CHARACTERS = 262_144

/** A name that is taken gets the new text. Null where the session has no room left. */
export function withNote(notes: readonly Note[], note: Note): Note[] | null {
  const next = [...notes.filter(({ name }) => name !== note.name), note]
  const characters = next.reduce((total, { name, text }) => total + name.length + text.length, 0)
  return next.length > MOST_NOTES || characters > MOST_CHARACTERS ? null : next
}
