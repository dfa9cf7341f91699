/**
 * Races work against a limit. The work gets a signal that aborts when nobody waits for it any more: at the limit, when
 * `outer` aborts, and also once it has settled, so that what it left running can stop. The timer never outlives the race.
 * At the limit the answer is what `late` returns, or throws; when `outer` aborts, the race rejects with its reason.
 * What the work hands to `apart` has limits of its own: the limit of the race stands still while that is waited for.
 */
export async function withDeadline<T, L>(
  ms: number,
  work: (signal: AbortSignal, apart: Apart) => Promise<T>,
  late: () => L,
  outer?: AbortSignal,
): Promise<T | L> {
  const over = new AbortController()
  const { promise, resolve, reject } = Promise.withResolvers<T | L>()
  const strike = () => resolve(Promise.try(late))
  let timer = setTimeout(strike, ms)
  let [left, since, waits] = [ms, performance.now(), 0]
  const apart: Apart = async (wait) => {
    if (waits === 0) left -= performance.now() - since
    clearTimeout(timer)
    waits += 1
    try {
      return await wait
    } finally {
      waits -= 1
      since = performance.now()
      if (waits === 0 && !over.signal.aborted) timer = setTimeout(strike, left)
    }
  }
  const leave = () => reject(outer?.reason)
  outer?.addEventListener('abort', leave, { once: true })
  try {
    outer?.throwIfAborted()
    return await Promise.race([work(over.signal, apart), promise])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', leave)
    over.abort()
  }
}

export type Apart = <T>(wait: Promise<T>) => Promise<T>
