/** A choice that the browser keeps. A reader may forbid pages to keep anything: it then lasts as long as the page. */
interface Remembered<Word extends string> {
  read(): Word
  store(word: Word): void
  /** The one after it, and after the last the first. */
  next(word: Word): Word
}

export function remembered<const Words extends readonly [string, ...string[]]>(
  key: string,
  words: Words,
): Remembered<Words[number]> {
  const quietly = <T>(run: () => T, otherwise: T): T => {
    try {
      return run()
    } catch (error) {
      if (error instanceof DOMException) return otherwise
      throw error
    }
  }
  return {
    read: () => words.find((word) => word === quietly(() => localStorage.getItem(key), null)) ?? words[0],
    store: (word) => quietly(() => localStorage.setItem(key, word), undefined),
    next: (word) => words[(words.indexOf(word) + 1) % words.length] as Words[number],
  }
}
