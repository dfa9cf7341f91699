import type { DocumentBody, DocumentEntry } from './schemas.ts'

/** The documents of this checkout, as they were when the service started. */
export interface Documents {
  list(): readonly DocumentEntry[]
  /** Null for a name that none has. */
  read(name: string): DocumentBody | null
  /** A picture beside the documents, by its path below docs/. */
  picture(path: string): { bytes: Uint8Array; type: string } | null
}
