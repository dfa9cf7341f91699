/** What the work came to, and how often the loop turned meanwhile: work that holds the loop lets it turn once or never. */
export async function countTurns<T>(work: () => Promise<T>): Promise<{ value: T; turns: number }> {
  let turns = 0
  let next: NodeJS.Immediate
  const count = (): void => {
    turns += 1
    next = setImmediate(count)
  }
  next = setImmediate(count)
  try {
    return { value: await work(), turns }
  } finally {
    clearImmediate(next)
  }
}
