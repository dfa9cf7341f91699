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
  const parameter = tokens.find(({ kind }) => kind === 'parameter')
  if (parameter !== undefined) return `the parameter ${parameter.text} has no value here`
  const called = tokens.filter((_, at) => isSign(tokens[at + 1], '('))
  const hidden = [...called, ...tablesIn(tokens)].find(({ kind, text, name }) =>
    /^'?(?:pragma|sqlite)_/i.test(kind === 'string' ? text : name),
  )
  return hidden === undefined ? null : `no such table or function: ${hidden.name || hidden.text}`
}

const isSign = (token: Token | undefined, text: string): boolean => token?.kind === 'sign' && token.text === text
const isWord = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text)

const ENDS_FROM = 'SELECT WHERE GROUP HAVING ORDER LIMIT WINDOW UNION EXCEPT INTERSECT VALUES'.split(' ')

/** What stands where the name of a table is expected: SQLite takes a text for one as well. */
function tablesIn(tokens: readonly Token[]): Token[] {
  const found: Token[] = []
  /** Whether a list of tables is being read, for each open bracket. */
  const lists = [false]
  let isExpected = false
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    if (isExpected && ['word', 'quoted', 'string'].includes(token.kind)) found.push(token)
    const opens = isWord(token, 'JOIN') || (isWord(token, 'FROM') && !isWord(before, 'DISTINCT'))
    if (isSign(token, '(')) lists.push(isExpected && !isWord(before, 'IN'))
    else if (isSign(token, ')')) lists.length = Math.max(1, lists.length - 1)
    else if (opens) lists[lists.length - 1] = true
    else if (isWord(token, ...ENDS_FROM)) lists[lists.length - 1] = false
    const isNext = isSign(token, '(') || isSign(token, ',')
    const isPart = isSign(token, '.') && before === found.at(-1)
    isExpected = opens || isPart || isWord(token, 'IN') || (isNext && lists.at(-1) === true)
  }
  return found
}
