// `JSON.parse` without a fault of the engine. V8 14.6 takes a name that is written with an escape for one it has met before
// in the same place, where that one has a backslash at the place of the escape: after {"a\\":1}, the text {"a\n":1} reads as
// {"a\\":1}. Whoever sends both would have the second signed as something else, or a stored receipt read as altered. Texts
// with such a name, which are rare, are built here name by name.
import type { JsonValue } from './json.ts'

/** Throws `SyntaxError` for what is no JSON, as `JSON.parse` does. */
export function parseJsonText(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text)
  return text.includes('\\') && hasEscapedName(text) ? new Builder(text).value() : value
}

/** Of valid JSON. */
function hasEscapedName(text: string): boolean {
  let backslash = text.indexOf('\\')
  for (let at = text.indexOf('"'); at >= 0; ) {
    if (backslash < at) backslash = text.indexOf('\\', at)
    if (backslash < 0) return false
    const end = endOfString(text, at)
    if (backslash < end && text[skipSpace(text, end)] === ':') return true
    at = text.indexOf('"', end)
  }
  return false
}

/** Behind the quote that no odd number of backslashes stands before. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text[before] === '\\') before -= 1
    if ((at - before) % 2 === 1) return at + 1
  }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return at
}

/** Of valid JSON; it recurses once per level. */
class Builder {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  value(): JsonValue {
    this.at = skipSpace(this.text, this.at)
    const first = this.text[this.at]
    if (first === '{') return this.object()
    if (first === '[') return this.array()
    return JSON.parse(first === '"' ? this.string() : this.scalar())
  }

  private object(): JsonValue {
    const found: { [name: string]: JsonValue } = {}
    for (this.at += 1; !this.closes('}'); ) {
      const name: string = JSON.parse(this.string())
      this.at = skipSpace(this.text, this.at) + 1
      // Assigned, this one name would change what the object inherits.
      if (name === '__proto__')
        Object.defineProperty(found, name, {
          ...{ value: this.value(), enumerable: true, configurable: true, writable: true },
        })
      else found[name] = this.value()
    }
    return found
  }

  private array(): JsonValue {
    const found: JsonValue[] = []
    for (this.at += 1; !this.closes(']'); ) found.push(this.value())
    return found
  }

  /** Goes on to the next member, or behind the end. */
  private closes(end: string): boolean {
    this.at = skipSpace(this.text, this.at)
    if (this.text[this.at] === ',') this.at = skipSpace(this.text, this.at + 1)
    if (this.text[this.at] !== end) return false
    this.at += 1
    return true
  }

  private string(): string {
    const start = this.at
    this.at = endOfString(this.text, start)
    return this.text.slice(start, this.at)
  }

  private scalar(): string {
    const start = this.at
    while (/[\w.+-]/.test(this.text[this.at] ?? '')) this.at += 1
    return this.text.slice(start, this.at)
  }
}
