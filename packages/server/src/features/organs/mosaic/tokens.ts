/** The words of an SQL text, as SQLite cuts them; comments and blanks are gone. */

export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'sign' | 'parameter'
  /** Of a word in upper case, of a name its letters without the quotes, of a sign itself. */
  text: string
  /** A name as it is compared: SQL does not tell its cases apart. */
  name: string
}

const BLANK = /(?:\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y
const PATTERNS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['string', /x?'(?:[^']|'')*'/iy],
  ['quoted', /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y],
  ['word', /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ['number', /0x[0-9a-f_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?/iy],
  ['parameter', /[?:@#$]\w*/y],
  ['sign', /->>?|\|\||<<|>>|[<>=!]=|<>|[\s\S]/y],
]

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(sql)?.[0] ?? null
    at += found?.length ?? 0
    return found
  }
  match(BLANK)
  while (at < sql.length) {
    for (const [kind, pattern] of PATTERNS) {
      const raw = match(pattern)
      if (raw === null) continue
      tokens.push(toToken(kind, raw))
      break
    }
    match(BLANK)
  }
  return tokens
}

function toToken(kind: Token['kind'], raw: string): Token {
  if (kind === 'word') return { kind, text: raw.toUpperCase(), name: raw.toLowerCase() }
  if (kind !== 'quoted') return { kind, text: raw, name: '' }
  const [quote = ''] = raw
  const text = raw.slice(1, -1).replaceAll(quote + quote, quote)
  return { kind, text: quote === '"' ? `"${text}` : text, name: text.toLowerCase() }
}

/** Why the text is not one query over the sources, before any engine sees it; null where it may be. */
export function refusalOf(tokens: readonly Token[]): string | null {
  const [first] = tokens
  if (first === undefined) return 'there is no statement in it'
  if (first.kind !== 'word' || !['SELECT', 'WITH', 'VALUES'].includes(first.text))
    return `only a SELECT is run, not ${first.kind === 'word' ? first.text : 'this'}`
  const end = tokens.findIndex(({ kind, text }) => kind === 'sign' && text === ';')
  if (end >= 0 && end < tokens.length - 1) return 'only one statement is run'
  for (const { kind, text, name } of tokens) {
    if (kind === 'parameter') return `the parameter ${text} has no value here`
    if (/^(?:pragma|sqlite)_/.test(name)) return `no such table or function: ${name}`
  }
  const named = textsAsTables(tokens).find((text) => /^'(?:pragma|sqlite)_/i.test(text))
  return named === undefined ? null : `no such table or function: ${named}`
}

const ENDS_FROM = new Set(
  'SELECT WHERE GROUP HAVING ORDER LIMIT WINDOW UNION EXCEPT INTERSECT VALUES ON USING'.split(' '),
)

/** SQLite also takes a text for the name of a table: those that stand where one is expected. */
function textsAsTables(tokens: readonly Token[]): string[] {
  const found: string[] = []
  /** Whether a list of tables is being read, for each open bracket. */
  const lists = [false]
  let isExpected = false
  for (const { kind, text } of tokens) {
    if (kind === 'string' && isExpected) found.push(text)
    if (kind === 'sign' && text === '(') lists.push(isExpected && lists.at(-1) === true)
    else if (kind === 'sign' && text === ')') lists.length = Math.max(1, lists.length - 1)
    else if (kind === 'word' && (text === 'FROM' || text === 'JOIN')) lists[lists.length - 1] = true
    else if (kind === 'word' && ENDS_FROM.has(text)) lists[lists.length - 1] = false
    const opens =
      kind === 'sign' ? text === '(' || text === ',' : kind === 'word' && (text === 'FROM' || text === 'JOIN')
    isExpected = (opens && lists.at(-1) === true) || (kind === 'sign' && text === '.')
  }
  return found
}
