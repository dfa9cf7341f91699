// Reads TypeScript far enough to tell code from comments, strings and regular expressions: what the architecture
// rules need, and no more. Offsets and lines are those of the source.
interface StringLiteral {
  start: number
  end: number
  value: string
}

export interface SourceText {
  /** The source with comments, string contents and regular expressions blanked. */
  code: string
  strings: StringLiteral[]
}

export interface Import {
  specifier: string
  line: number
  typeOnly: boolean
}

export const lineAt = (source: string, offset: number): number => source.slice(0, offset).split('\n').length

export function readSource(source: string): SourceText {
  return new Scanner(source).scan()
}

// A slash after one of these begins a regular expression; after a value it divides.
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield|throw))$/

class Scanner {
  readonly source: string
  readonly strings: StringLiteral[] = []
  code = ''
  at = 0
  /** Brace depth of the code inside each open template placeholder. */
  readonly placeholders: number[] = []

  constructor(source: string) {
    this.source = source
  }

  scan(): SourceText {
    while (this.at < this.source.length) this.step()
    return { code: this.code, strings: this.strings }
  }

  step(): void {
    const char = this.source[this.at] as string
    const pair = this.source.slice(this.at, this.at + 2)
    if (pair === '//') this.blankTo(this.behind('\n', this.at))
    else if (pair === '/*') this.blankTo(this.behind('*/', this.at + 2))
    else if (char === "'" || char === '"') this.quoted(char)
    else if (char === '`' || this.closesPlaceholder(char)) this.template()
    else if (char === '/' && BEFORE_REGEX.test(this.code.trimEnd().slice(-12))) this.regex()
    else {
      this.code += char
      this.at += 1
    }
  }

  closesPlaceholder(char: string): boolean {
    const innermost = this.placeholders.length - 1
    if (innermost < 0 || (char !== '{' && char !== '}')) return false
    this.placeholders[innermost]! += char === '{' ? 1 : -1
    if (this.placeholders[innermost] !== 0) return false
    this.placeholders.pop()
    return true
  }

  // A string ends with its line: an apostrophe in JSX text cannot swallow the rest of the file.
  quoted(quote: string): void {
    const end = this.until((at) => this.source[at] === quote || this.source[at] === '\n')
    this.literal(end, this.source[end] === quote ? quote : '', quote)
  }

  /** From an opening backtick, or from the brace that closes a placeholder, to the next placeholder or the end. */
  template(): void {
    const end = this.until((at) => this.source[at] === '`' || this.source.startsWith('${', at))
    const opens = this.source.startsWith('${', end)
    if (opens) this.placeholders.push(1)
    this.literal(end, opens ? '${' : this.source.slice(end, end + 1), '`')
  }

  until(isEnd: (at: number) => boolean): number {
    let end = this.at + 1
    while (end < this.source.length && !isEnd(end)) end += this.source[end] === '\\' ? 2 : 1
    return Math.min(end, this.source.length)
  }

  literal(end: number, close: string, mark: string): void {
    const start = this.at + 1
    const value = this.source.slice(start, end)
    this.strings.push({ start, end, value })
    this.code += mark + blank(value) + blank(close)
    this.at = end + close.length
  }

  regex(): void {
    const pattern = /(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*\/?[a-z]*/y
    pattern.lastIndex = this.at + 1
    pattern.test(this.source)
    this.blankTo(pattern.lastIndex)
  }

  /** Just behind the next `text`, or the end of the source. */
  behind(text: string, from: number): number {
    const found = this.source.indexOf(text, from)
    return found === -1 ? this.source.length : found + text.length
  }

  blankTo(end: number): void {
    this.code += blank(this.source.slice(this.at, end))
    this.at = end
  }
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

const IMPORTS = [
  /\b(?<keyword>import|export)\s+(?<type>type\b(?!\s*(?:,|from\b)))?[^'"`;()]*?\bfrom\s*['"]/g,
  /\b(?<keyword>import)\s*['"]/g,
  /\b(?<keyword>import|require)\s*(?:\?\.)?\s*\(\s*['"`]/g,
]

const ONLY_TYPES = /^(?:import|export)\s*\{(?:\s*type\s[^,}]*,?)+\s*\}/

/** Static, re-exporting, side-effect and dynamic imports and `require`, also in types. */
export function importsOf(source: string): Import[] {
  const { code, strings } = readSource(source)
  const valueAt = new Map(strings.map((literal) => [literal.start, literal.value]))
  const found = IMPORTS.flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => ({
      specifier: valueAt.get(match.index + match[0].length) ?? '',
      line: lineAt(source, match.index + match[0].length),
      typeOnly: match.groups?.type !== undefined || ONLY_TYPES.test(match[0]),
    })),
  )
  return found.sort((a, b) => a.line - b.line)
}
