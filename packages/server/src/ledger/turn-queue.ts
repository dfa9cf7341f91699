/** Turns of one thread: whoever has long work to do takes one before each piece of it. One turn is given in each round
 *  of the event loop, first come first served, so that messages are read between any two pieces and no work, however
 *  much of it is asked for at once, keeps the others waiting for longer than a piece. */
export class TurnQueue {
  private readonly waiting: (() => void)[] = []

  take(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) this.schedule()
    })
  }

  private schedule(): void {
    setImmediate(() => {
      this.waiting.shift()?.()
      if (this.waiting.length > 0) this.schedule()
    })
  }
}
