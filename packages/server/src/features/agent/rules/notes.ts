/** What a session noted down, as one record that commits with the receipt of the step that changes it. */
export interface Note {
  name: string
  text: string
}

const MAX_NOTES = 128
const MAX_CHARACTERS = 262_144

/** A name that is taken gets the new text. Null where the session has no room left. */
export function withNote(notes: readonly Note[], note: Note): Note[] | null {
  const next = [...notes.filter(({ name }) => name !== note.name), note]
  const characters = next.reduce((total, { name, text }) => total + name.length + text.length, 0)
  return next.length > MAX_NOTES || characters > MAX_CHARACTERS ? null : next
}
