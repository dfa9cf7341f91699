// The page has one thread and its policy allows no second one, so long work is cut into slices between which the
// browser paints and answers. A message is used to come back because timers are held up in hidden tabs.
const SLICE_MS = 24
/** Characters: what a slice takes on at most, also where the clock of the page is coarse or stands still. */
export const SLICE_CHARS = 1 << 18

const { port1, port2 } = new MessageChannel()
const waiting: (() => void)[] = []
port1.onmessage = () => waiting.shift()?.()

const nextTask = (): Promise<void> =>
  new Promise((resume) => {
    waiting.push(resume)
    port2.postMessage(null)
  })

export class Slices {
  private started = performance.now()
  private chars = 0
  private readonly signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  /** Whether the slice is over now that this much more has been worked on. */
  isOverAfter(chars: number): boolean {
    this.chars += chars
    return this.chars >= SLICE_CHARS || performance.now() - this.started > SLICE_MS
  }

  /** Throws the signal's reason when the reader cancelled in between. */
  async rest(): Promise<void> {
    await nextTask()
    this.signal.throwIfAborted()
    this.started = performance.now()
    this.chars = 0
  }
}
