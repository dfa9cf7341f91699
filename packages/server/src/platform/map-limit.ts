/** Works on at most `width` items at a time and gives the results in the order of the items. The first failure fails the
 *  whole; items that were not begun by then may still be begun by the other lanes. */
export async function mapLimit<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  const waiting = items.entries()
  const lane = async () => {
    for (const [at, item] of waiting) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  return results
}
