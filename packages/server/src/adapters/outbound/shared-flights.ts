/** One piece of work for all who ask for it together. The work is broken off when the last of those who wait has left. */
interface Flight {
  work: Promise<unknown>
  waiting: number
  abort: AbortController
}

export class SharedFlights {
  readonly #flights = new Map<string, Flight>()

  /** A caller that leaves early still gets the outcome of the work: broken off for it alone it would have none. */
  async join<T>(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#begin(key, work)
    const leave = () => {
      flight.waiting -= 1
      if (flight.waiting === 0) flight.abort.abort()
    }
    flight.waiting += 1
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
    try {
      return (await flight.work) as T
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #begin<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Flight {
    const abort = new AbortController()
    const begun = Promise.try(() => work(abort.signal)).finally(() => this.#flights.delete(key))
    const flight = { work: begun, waiting: 0, abort }
    this.#flights.set(key, flight)
    return flight
  }
}
