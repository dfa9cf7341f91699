/**
 * Races work against a limit. The work gets a signal that aborts when nobody waits for it any more: at the limit, when
 * `outer` aborts, and also once it has settled, so that what it left running can stop. The timer never outlives the race.
 * At the limit the answer is what `late` returns, or throws; when `outer` aborts, the race rejects with its reason.
 */
export async function withDeadline<T, L>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => L,
  outer?: AbortSignal,
): Promise<T | L> {
  const over = new AbortController()
  const { promise, resolve, reject } = Promise.withResolvers<T | L>()
  const timer = setTimeout(() => resolve(Promise.try(late)), ms)
  const leave = () => reject(outer?.reason)
  outer?.addEventListener('abort', leave, { once: true })
  try {
    outer?.throwIfAborted()
    return await Promise.race([work(over.signal), promise])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', leave)
    over.abort()
  }
}
