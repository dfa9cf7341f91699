/** One result for all who ask while it is being made, and for whoever asks soon after. What is made here carries its own
 *  date: nobody is told that it was made for him. */
interface Sharing {
  keepMs: number
  /** A clock that never goes back. */
  monotonic(): number
  /** A result made under another version is made again, however young it is. */
  version?(): unknown
}

export function shared<T>(
  { keepMs, monotonic, version = () => null }: Sharing,
  make: () => Promise<T>,
): () => Promise<T> {
  let newest: { made: Promise<T>; version: unknown; endedAt: number | null } | null = null
  return () => {
    const present = version()
    const counts =
      newest !== null &&
      newest.version === present &&
      (newest.endedAt === null || monotonic() - newest.endedAt < keepMs)
    if (newest !== null && counts) return newest.made
    const made = make()
    const begun: typeof newest = { made, version: present, endedAt: null }
    newest = begun
    made.then(
      () => {
        begun.endedAt = monotonic()
      },
      () => {
        // A failure is told to those who waited for it and to nobody after them.
        if (newest === begun) newest = null
      },
    )
    return made
  }
}
