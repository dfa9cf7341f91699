/** The keys of objects in the order they were written. Parsed objects put keys that look like positions first, and
 *  problems are reported in the order of the document. The text is known to be strict JSON without equal keys. */
export type KeyOrder = (object: object) => string[]

export function documentKeys(text: () => string, root: unknown): KeyOrder {
  let written: Map<object, string[]> | null = null
  return (object) => {
    const keys = Object.keys(object)
    if (!/^\d/.test(keys[0] ?? '')) return keys
    written ??= keysAsWritten(text(), root)
    return written.get(object) ?? keys
  }
}

const SPACE = /[\t\n\r ]*/y
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y
const SCALAR = /[-+.\w]+/y

/** One walk over the text beside the value that was read from it. */
function keysAsWritten(text: string, root: unknown): Map<object, string[]> {
  const order = new Map<object, string[]>()
  let at = 0

  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  /** One of the structural characters, and the space behind it. */
  const symbol = (): void => {
    at += 1
    take(SPACE)
  }
  const visit = (value: unknown): void => {
    const first = text[at]
    if (first === '"') take(STRING)
    else if (first === '{') object(value as Record<string, unknown>)
    else if (first === '[') array(value as unknown[])
    else take(SCALAR)
    take(SPACE)
  }
  const object = (value: Record<string, unknown>): void => {
    const keys: string[] = []
    symbol()
    while (text[at] !== '}') {
      const key: string = JSON.parse(take(STRING))
      keys.push(key)
      take(SPACE)
      symbol()
      visit(value[key])
      if (text[at] === ',') symbol()
    }
    at += 1
    order.set(value, keys)
  }
  const array = (value: unknown[]): void => {
    symbol()
    for (const item of value) {
      visit(item)
      if (text[at] === ',') symbol()
    }
    at += 1
  }

  take(SPACE)
  visit(root)
  return order
}
