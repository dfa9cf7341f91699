/** What other features may bring to the search. */

/** One thing that can be found. */
export interface SearchDocument {
  /** Unique in the corpus, `<kind>:<id>`. */
  key: string
  /** What it is, such as `operation`. */
  kind: string
  /** The name it is called by; counts threefold. */
  id: string
  /** Counts twice. */
  title: string
  body: string
  /** Where it is served or described. */
  url: string
}

/** Documents of one kind, read when the corpus is built: once, at the first search. */
export interface SearchSource {
  kind: string
  documents(): readonly SearchDocument[] | Promise<readonly SearchDocument[]>
}
