// When to ask again, and after how long. Waiting a random part of a growing time keeps many clients from returning
// together after an outage.

export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>
export type RandomSource = () => number

const FIRST_MS = 200
const MAX_MS = 10_000

/** Answers that say "not now": the request was not carried out, or carries a key that makes repeating it harmless. */
export const isTransient = (status: number): boolean => [429, 502, 503, 504].includes(status)

/** `attempt` counts from 0. A Retry-After in seconds is obeyed up to a limit, so that a reply cannot park a client. */
export function delayBefore(attempt: number, retryAfter: string | null, random: RandomSource): number {
  const asked = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0
  const jittered = random() * Math.min(MAX_MS, FIRST_MS * 2 ** attempt)
  return Math.min(MAX_MS, asked + jittered)
}

/** Uniform in [0, 1). */
export const cryptoRandom: RandomSource = () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32

export const wait: Wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
