/** The work is done at the first call and never again: every call gets what the first one got, a rejection included. */
export function once<T>(work: () => T): () => T {
  let done: { value: T } | null = null
  return () => {
    done ??= { value: work() }
    return done.value
  }
}
