/** The stream once its first part is there: what fails before that can still be refused with a status of its own. What fails
 *  later can only show by a body that ends too early. */
export async function begun<T>(source: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const parts = source[Symbol.asyncIterator]()
  const first = await parts.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => parts }
  })()
}
