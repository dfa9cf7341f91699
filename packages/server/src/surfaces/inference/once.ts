/** Done at the first call and never again. */
export const once = <T>(work: () => Promise<T>) => {
  let begun: Promise<T> | null = null
  return () => {
    begun ??= work()
    return begun
  }
}
