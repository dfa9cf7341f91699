/** Turns of one thread: whoever has long work to do takes one before each piece of it. One turn is given in each round of
 *  the event loop, so that messages are read between any two pieces. The kinds of work take turns with each other, first
 *  come first served within a kind: however much of one kind is asked for at once, another waits for a piece of each. */
export function turnQueue<Kind extends string>(): (kind: Kind) => Promise<void> {
  // A kind is in the map while somebody of it waits; the one that had its turn goes to the end.
  const waiting = new Map<Kind, (() => void)[]>()
  const give = () => {
    for (const [kind, queue] of waiting) {
      const next = queue.shift()
      waiting.delete(kind)
      if (queue.length > 0) waiting.set(kind, queue)
      next?.()
      break
    }
    if (waiting.size > 0) setImmediate(give)
  }
  return (kind) =>
    new Promise((resolve) => {
      if (waiting.size === 0) setImmediate(give)
      const queue = waiting.get(kind)
      if (queue === undefined) waiting.set(kind, [resolve])
      else queue.push(resolve)
    })
}
