/** The keys of objects in the order they were written. Parsed objects put keys that look like positions first, and
 *  problems are told in the order of the document. The text is known to be strict JSON without equal keys. */
export type KeyOrder = (object: object) => string[]

export function documentKeys(text: () => string, root: unknown): KeyOrder {
  let written: Map<object, string[]> | null = null
  return (object) => {
    const keys = Object.keys(object)
    if (!/^\d/.test(keys[0] ?? '')) return keys
    written ??= new Walk(text(), root).order
    return written.get(object) ?? keys
  }
}

const SPACE = /[\t\n\r ]*/y
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y
const SCALAR = /[-+.\w]+/y

class Walk {
  readonly order = new Map<object, string[]>()
  readonly #text: string
  #at = 0

  constructor(text: string, root: unknown) {
    this.#text = text
    this.#take(SPACE)
    this.#value(root)
  }

  #value(value: unknown): void {
    const first = this.#text[this.#at]
    if (first === '"') this.#take(STRING)
    else if (first === '{') this.#object(value as Record<string, unknown>)
    else if (first === '[') this.#array(value as unknown[])
    else this.#take(SCALAR)
    this.#take(SPACE)
  }

  #object(value: Record<string, unknown>): void {
    const keys: string[] = []
    this.#symbol()
    while (this.#text[this.#at] !== '}') {
      const key: string = JSON.parse(this.#take(STRING))
      keys.push(key)
      this.#take(SPACE)
      this.#symbol()
      this.#value(value[key])
      if (this.#text[this.#at] === ',') this.#symbol()
    }
    this.#at += 1
    this.order.set(value, keys)
  }

  #array(value: unknown[]): void {
    this.#symbol()
    for (const item of value) {
      this.#value(item)
      if (this.#text[this.#at] === ',') this.#symbol()
    }
    this.#at += 1
  }

  /** One of the structural characters, and the space behind it. */
  #symbol(): void {
    this.#at += 1
    this.#take(SPACE)
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }
}
