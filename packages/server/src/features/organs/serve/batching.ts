/** Iteration-level batching of one server, event by event. An iteration admits in order of arrival, works off the prompts
 *  that it admitted and gives every running sequence one token. */

export interface Arrival {
  arrive_ms: number
  prompt_tokens: number
  output_tokens: number
}

export interface Server {
  prefill_tps: number
  decode_tps: number
  slowdown: number
  max_batch: number
  kv_blocks: number
  block_size: number
}

/** Of every request, in the order of arrival; times in milliseconds since the clock of the workload began. */
interface ServedRequests {
  /** When it was first admitted. */
  start: Float64Array
  firstToken: Float64Array
  end: Float64Array
  preemptions: Int32Array
}

export interface ServedRun extends ServedRequests {
  /** Tokens that were really worked on. */
  outputTokens: number
  prefillTokens: number
  /** Of these, for what had been worked on before a preemption. */
  recomputedTokens: number
  decodeSteps: number
  peakBlocks: number
  peakQueue: number
  busyMs: number
  /** Integrals over time, added up step by step and not from the times of the requests. */
  inSystemMs: number
  waitingMs: number
  runningMs: number
  queue: QueuePoint[]
}

interface QueuePoint {
  t_ms: number
  waiting: number
  running: number
}

const MAX_POINTS = 200

/** The most blocks that a request ever holds: those of all its tokens. */
export const blocksOf = (tokens: number, blockSize: number): number => Math.ceil(tokens / blockSize)

/** Every request must fit `kv_blocks` by itself, and arrivals must ascend: the oldest then always goes on. */
export function serve(load: readonly Arrival[], server: Server): ServedRun {
  const { max_batch, kv_blocks, block_size, slowdown } = server
  const n = load.length
  const requests = emptyRequests(n)
  const made = new Int32Array(n)
  const allocated = new Int32Array(n)
  const queue = thinning(MAX_POINTS)
  /** Oldest first, both of them: who is preempted is the newest that runs and older than whoever never ran. */
  const running: number[] = []
  const returned: number[] = []
  const sums = { outputTokens: 0, prefillTokens: 0, recomputedTokens: 0, decodeSteps: 0 }
  const areas = { busyMs: 0, inSystemMs: 0, waitingMs: 0, runningMs: 0 }
  let [clock, arrived, next, done, free] = [0, 0, 0, 0, kv_blocks]
  let [peakBlocks, peakQueue] = [0, 0]
  const waiting = () => arrived - done - running.length

  const pass = (ms: number): void => {
    areas.busyMs += ms
    areas.inSystemMs += (arrived - done) * ms
    areas.waitingMs += waiting() * ms
    areas.runningMs += running.length * ms
    clock += ms
  }
  const takeArrivals = (): void => {
    if (arrived === done) clock = Math.max(clock, load[arrived]!.arrive_ms)
    for (; arrived < n && load[arrived]!.arrive_ms <= clock; arrived += 1) {
      // Whoever came while an iteration ran has waited since.
      areas.inSystemMs += clock - load[arrived]!.arrive_ms
      areas.waitingMs += clock - load[arrived]!.arrive_ms
    }
    peakQueue = Math.max(peakQueue, waiting())
  }
  /** The prompt tokens of whoever was admitted, and the tokens of its own that a preemption lost. */
  const admit = (): number => {
    let tokens = 0
    while (running.length < max_batch) {
      const one = returned.at(-1) ?? next
      if (one >= arrived) break
      const known = load[one]!.prompt_tokens + made[one]!
      const blocks = blocksOf(known + 1, block_size)
      if (blocks > free) break
      if (returned.length > 0) {
        returned.pop()
        sums.recomputedTokens += known
      } else {
        requests.start[one] = clock
        next += 1
      }
      free -= blocks
      allocated[one] = blocks
      tokens += known
      running.push(one)
    }
    return tokens
  }
  const release = (one: number): void => {
    free += allocated[one]!
    allocated[one] = 0
  }
  /** Gives every running sequence room for its next token; where none is left, the newest goes back to the queue. */
  const makeRoom = (): void => {
    for (let at = 0; at < running.length; at += 1) {
      const one = running[at]!
      if (load[one]!.prompt_tokens + made[one]! < allocated[one]! * block_size) continue
      while (free === 0 && at < running.length) {
        const newest = running.pop()!
        release(newest)
        returned.push(newest)
        requests.preemptions[newest]! += 1
      }
      if (at === running.length) return
      free -= 1
      allocated[one]! += 1
    }
  }
  const decode = (): void => {
    pass(((1 + slowdown * (running.length - 1)) * 1000) / server.decode_tps)
    let remaining = 0
    for (const one of running) {
      made[one]! += 1
      const tokens = made[one]!
      if (tokens === 1) requests.firstToken[one] = clock
      if (tokens < load[one]!.output_tokens) running[remaining++] = one
      else {
        requests.end[one] = clock
        release(one)
        done += 1
      }
    }
    sums.outputTokens += running.length
    sums.decodeSteps += 1
    running.length = remaining
  }

  while (done < n) {
    takeArrivals()
    const tokens = admit()
    queue.add({ t_ms: clock, waiting: waiting(), running: running.length })
    sums.prefillTokens += tokens
    pass((tokens * 1000) / server.prefill_tps)
    makeRoom()
    peakBlocks = Math.max(peakBlocks, kv_blocks - free)
    decode()
  }
  return { ...requests, ...sums, ...areas, peakBlocks, peakQueue, queue: queue.points() }
}

const emptyRequests = (n: number): ServedRequests => ({
  start: new Float64Array(n),
  firstToken: new Float64Array(n),
  end: new Float64Array(n),
  preemptions: new Int32Array(n),
})

/** Keeps every point while there are few, every second when there are more, and so on. */
function thinning(max: number) {
  let [sampled, stride, seen] = [[] as QueuePoint[], 1, 0]
  return {
    add(point: QueuePoint): void {
      if (seen++ % stride !== 0) return
      if (sampled.length === max) {
        sampled = sampled.filter((_, at) => at % 2 === 0)
        stride *= 2
        if ((seen - 1) % stride !== 0) return
      }
      sampled.push(point)
    },
    points: () => sampled,
  }
}
