/** Which columns of the sources each column of a query is computed from. The select list is followed through aliases,
 *  common tables and sub-selects; conditions, groups and orders are not part of it. What cannot be told is null. */
import type { Token } from './tokens.ts'

interface SourceColumns {
  name: string
  columns: readonly string[]
}

/** Null: it cannot be told. */
type Origin = ReadonlySet<string> | null

interface Column {
  name: string
  origin: Origin
}

interface Table {
  name: string
  /** Null: a table function, whose columns nobody lists. */
  columns: readonly Column[] | null
  /** Names that a join with USING or NATURAL shows once, with the columns before. */
  merged: ReadonlySet<string>
  /** The rows of this side are kept where the other has none, so that a merged column may be of either. */
  keeps: boolean
}

interface Scope {
  tables: readonly Table[]
  windows: ReadonlyMap<string, readonly Token[]>
  outer: Scope | null
}

type Find = (name: string) => readonly Column[] | null
interface Place {
  find: Find
  outer: Scope | null
}

/** Work that a lineage is worth; beyond it none is told. */
const MAX_STEPS = 20_000
const NONE: ReadonlySet<string> = new Set()

class TooDeep extends Error {}

const isWord = (token: Token | undefined, ...texts: string[]): boolean =>
  token?.kind === 'word' && texts.includes(token.text)
const isSign = (token: Token | undefined, text: string): boolean => token?.kind === 'sign' && token.text === text
const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'quoted'

const joined = (origins: readonly Origin[]): Origin =>
  origins.some((origin) => origin === null) ? null : new Set(origins.flatMap((origin) => [...origin!]))

/** The index behind the parenthesis that closes the one at `at`. */
function closing(tokens: readonly Token[], at: number): number {
  let depth = 0
  for (let end = at; end < tokens.length; end += 1) {
    if (isSign(tokens[end], '(')) depth += 1
    else if (isSign(tokens[end], ')')) depth -= 1
    if (depth === 0) return end + 1
  }
  return tokens.length
}

/** Cuts at the tokens outside all parentheses for which `isCut` holds. */
function split(tokens: readonly Token[], isCut: (token: Token, at: number) => boolean): Token[][] {
  const parts: Token[][] = [[]]
  for (let at = 0; at < tokens.length; at += 1) {
    if (isSign(tokens[at], '(')) {
      const end = closing(tokens, at)
      parts.at(-1)!.push(...tokens.slice(at, end))
      at = end - 1
    } else if (isCut(tokens[at]!, at)) parts.push([])
    else parts.at(-1)!.push(tokens[at]!)
  }
  return parts
}

/** The origin of each column, in order; null where the query is beyond what is followed. */
export function lineageOf(tokens: readonly Token[], sources: readonly SourceColumns[]): (string[] | null)[] | null {
  let steps = 0
  const step = (work: number): void => {
    steps += 1 + work
    if (steps > MAX_STEPS) throw new TooDeep()
  }
  const bySource = new Map(
    sources.map(({ name, columns }) => [
      name.toLowerCase(),
      columns.map((column) => ({ name: column.toLowerCase(), origin: new Set([`${name}.${column}`]) })),
    ]),
  )

  function query(all: readonly Token[], place: Place): readonly Column[] {
    step(all.length)
    const { body, find } = commonTables(all, place)
    const cores = split(body, (token) => isWord(token, 'UNION', 'INTERSECT', 'EXCEPT')).map((part, at) =>
      at > 0 && isWord(part[0], 'ALL') ? part.slice(1) : part,
    )
    const results = cores.map((part) => core(part, { ...place, find }))
    step(results[0]!.length)
    return results[0]!.map(({ name }, at) => ({ name, origin: joined(results.map((one) => one[at]?.origin ?? null)) }))
  }

  function commonTables(all: readonly Token[], place: Place): { body: readonly Token[]; find: Find } {
    if (!isWord(all[0], 'WITH')) return { body: all, find: place.find }
    let at = isWord(all[1], 'RECURSIVE') ? 2 : 1
    const tables = new Map<string, () => readonly Column[] | null>()
    const find: Find = (name) => (tables.has(name) ? tables.get(name)!() : place.find(name))
    for (;;) {
      step(0)
      const name = all[at]?.name ?? ''
      const begin = all.findIndex((token, index) => index > at && isWord(token, 'AS'))
      const names = all.slice(at + 1, begin).filter(isName)
      const open = all.findIndex((token, index) => index > begin && isSign(token, '('))
      // SQLite reads no such thing, and so none comes here from it.
      if (begin < 0 || open < 0) throw new TooDeep()
      const end = closing(all, open)
      tables.set(name, commonTable(all.slice(open + 1, end - 1), names, { ...place, find }))
      at = end
      if (!isSign(all[at], ',')) return { body: all.slice(at), find }
      at += 1
    }
  }

  /** Read when it is first used. One that uses itself is read until nothing is added any more. */
  function commonTable(body: readonly Token[], names: readonly Token[], place: Place) {
    let [known, isBusy, isRecursive]: [readonly Column[] | null, boolean, boolean] = [null, false, false]
    const read = () => query(body, place).map((column, at) => ({ ...column, name: names[at]?.name ?? column.name }))
    const size = (columns: readonly Column[] | null) =>
      columns?.reduce((sum, { origin }) => sum + (origin?.size ?? 1e6), 0) ?? -1
    return (): readonly Column[] | null => {
      if (isBusy) {
        isRecursive = true
        return known ?? names.map(({ name }) => ({ name, origin: NONE }))
      }
      if (known !== null) return known
      isBusy = true
      for (let before = -2; size(known) > before; ) {
        before = size(known)
        known = read()
        if (!isRecursive) break
      }
      isBusy = false
      return known
    }
  }

  function core(part: readonly Token[], place: Place): readonly Column[] {
    if (isWord(part[0], 'VALUES')) {
      const none = { tables: [], windows: new Map(), outer: place.outer }
      const rows = split(part.slice(1), (token) => isSign(token, ',')).map((row) =>
        split(inside(row), (token) => isSign(token, ',')).map((item) => expression(item, none, place.find)),
      )
      return rows[0]!.map((_, at) => ({ name: `column${at + 1}`, origin: joined(rows.map((row) => row[at] ?? null)) }))
    }
    if (!isWord(part[0], 'SELECT')) return []
    const list = part.slice(isWord(part[1], 'DISTINCT', 'ALL') ? 2 : 1)
    const from = clauseAt(list, (at) => isWord(list[at], 'FROM') && !isWord(list[at - 1], 'DISTINCT'))
    const end = clauseAt(
      list,
      (at) => at > from && isWord(list[at], 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT'),
    )
    const scope: Scope = {
      tables: from < list.length ? tablesOf(list.slice(from + 1, end), place) : [],
      windows: windowsOf(list.slice(end)),
      outer: place.outer,
    }
    const last = Math.min(
      from,
      clauseAt(list, (at) => isWord(list[at], 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT')),
    )
    return split(list.slice(0, last), (token) => isSign(token, ',')).flatMap((item) =>
      selected(item, scope, place.find),
    )
  }

  function selected(item: readonly Token[], scope: Scope, find: Find): readonly Column[] {
    const last = item.at(-1)
    if (isSign(last, '*') && item.length === 1) return scope.tables.flatMap((table) => shown(table, scope.tables))
    if (isSign(last, '*') && isSign(item.at(-2), '.') && isName(item[0])) {
      const table = scope.tables.find(({ name }) => name === item.at(-3)!.name)
      return table?.columns ?? UNTOLD
    }
    const alias = aliasAt(item)
    const body = alias === null ? item : item.slice(0, alias.end)
    const plain = body.every((token, at) => (at % 2 === 0 ? isName(token) : isSign(token, '.')))
    const name = alias?.name ?? (plain ? body.at(-1)!.name : '')
    return [{ name, origin: expression(body, scope, find) }]
  }

  /** What `*` shows of a table: all but what was merged into the tables before it. */
  function shown(table: Table, tables: readonly Table[]): readonly Column[] {
    step(table.columns?.length ?? 0)
    if (table.columns === null) return UNTOLD
    const later = tables.slice(tables.indexOf(table) + 1).filter(({ keeps }) => keeps)
    return table.columns
      .filter(({ name }) => !table.merged.has(name))
      .map(({ name, origin }) => {
        const same = later.flatMap(({ merged, columns }) =>
          merged.has(name) ? (columns?.filter((one) => one.name === name) ?? []) : [],
        )
        return { name, origin: joined([origin, ...same.map((one) => one.origin)]) }
      })
  }

  /** Undefined: there is no such column. */
  function unqualified(name: string, tables: readonly Table[]): Origin | undefined {
    const found = tables.flatMap((table) => {
      const column = table.columns?.find((one) => one.name === name)
      return column === undefined ? [] : [{ table, column }]
    })
    const [first, ...others] = found
    if (first === undefined) return tables.some(({ columns }) => columns === null) ? null : undefined
    if (others.some(({ table }) => !table.merged.has(name))) return null
    return joined([first, ...others.filter(({ table }) => table.keeps)].map(({ column }) => column.origin))
  }

  function expression(item: readonly Token[], scope: Scope, find: Find): Origin {
    const origins: Origin[] = []
    for (let at = 0; at < item.length; at += 1) {
      step(0)
      const token = item[at]!
      if (isSign(token, '(') && isWord(item[at + 1], 'SELECT', 'WITH', 'VALUES')) {
        const end = closing(item, at)
        origins.push(...query(item.slice(at + 1, end - 1), { find, outer: scope }).map(({ origin }) => origin))
        at = end - 1
      } else if (isWord(token, 'AS')) {
        // Of a cast: the name of a type follows.
        at = item.findIndex((one, index) => index > at && isSign(one, ')'))
        if (at < 0) break
      } else if (isWord(token, 'COLLATE')) at += 1
      else if (isWord(token, 'OVER') && isName(item[at + 1])) {
        origins.push(expression(windowNamed(item[at + 1]!.name, scope), scope, find))
        at += 1
      } else if (isName(token)) {
        if (isSign(item[at + 1], '(') && token.kind === 'word') continue
        let end = at
        while (isSign(item[end + 1], '.') && isName(item[end + 2])) end += 2
        origins.push(reference(item.slice(at, end + 1), scope))
        at = end
      }
    }
    return joined(origins)
  }

  function windowNamed(name: string, scope: Scope | null): readonly Token[] {
    if (scope === null) return []
    return scope.windows.get(name) ?? windowNamed(name, scope.outer)
  }

  function reference(path: readonly Token[], scope: Scope | null): Origin {
    const [column, table] = [path.at(-1)!, path.at(-3)]
    for (let at = scope; at !== null; at = at.outer) {
      if (table === undefined) {
        const origin = unqualified(column.name, at.tables)
        if (origin !== undefined) return origin
        continue
      }
      const known = at.tables.find(({ name }) => name === table.name)
      if (known !== undefined) return known.columns?.find(({ name }) => name === column.name)?.origin ?? null
    }
    // A word of the language, or a text in double quotes, is no column.
    const isLiteral = column.kind === 'quoted' ? column.text.startsWith('"') : KEYWORDS.has(column.text)
    return table === undefined && isLiteral ? NONE : null
  }

  function tablesOf(tokens: readonly Token[], place: Place): Table[] {
    const tables: Table[] = []
    let at = 0
    while (at < tokens.length) {
      step(0)
      const join: string[] = []
      while (at < tokens.length && (isSign(tokens[at], ',') || isWord(tokens[at], ...JOINS)))
        join.push(tokens[at++]!.text)
      if (at >= tokens.length) break
      const { found, end } = tableAt(tokens, at, place)
      at = end
      let merged: ReadonlySet<string> = NONE
      const before = new Set(tables.flatMap(({ columns }) => columns?.map(({ name }) => name) ?? []))
      if (join.includes('NATURAL'))
        merged = new Set(
          found.flatMap(({ columns }) => columns ?? []).flatMap(({ name }) => (before.has(name) ? [name] : [])),
        )
      else if (isWord(tokens[at], 'USING')) {
        const close = closing(tokens, at + 1)
        merged = new Set(
          tokens
            .slice(at + 1, close)
            .filter(isName)
            .map(({ name }) => name),
        )
        at = close
      } else if (isWord(tokens[at], 'ON'))
        while (at < tokens.length && !isSign(tokens[at], ',') && !isWord(tokens[at], ...JOINS))
          at = isSign(tokens[at], '(') ? closing(tokens, at) : at + 1
      const keeps = join.includes('RIGHT') || join.includes('FULL')
      tables.push(...found.map((table) => (merged.size === 0 ? table : { ...table, merged, keeps })))
    }
    return tables
  }

  function tableAt(tokens: readonly Token[], at: number, place: Place): { found: Table[]; end: number } {
    const plain = { merged: NONE, keeps: false }
    if (isSign(tokens[at], '(')) {
      const close = closing(tokens, at)
      const body = tokens.slice(at + 1, close - 1)
      const { alias, end } = aliasOf(tokens, close)
      if (!isWord(body[0], 'SELECT', 'WITH', 'VALUES')) return { found: tablesOf(body, place), end }
      return { found: [{ name: alias ?? '', columns: query(body, place), ...plain }], end }
    }
    let last = at
    while (isSign(tokens[last + 1], '.') && isName(tokens[last + 2])) last += 2
    const { name } = tokens[last]!
    const isFunction = isSign(tokens[last + 1], '(')
    const { alias, end } = aliasOf(tokens, isFunction ? closing(tokens, last + 1) : last + 1)
    return { found: [{ name: alias ?? name, columns: isFunction ? null : place.find(name), ...plain }], end }
  }

  try {
    const body = tokens.filter((token) => !isSign(token, ';'))
    const columns = query(body, { find: (name) => bySource.get(name) ?? null, outer: null })
    return columns.includes(UNTOLD[0]!)
      ? null
      : columns.map(({ origin }) => (origin === null ? null : [...origin].sort()))
  } catch {
    // Whatever it stumbled over, the rows are what the engine says: of their columns nothing is told.
    return null
  }
}

/** Stands for columns whose number is not known. */
const UNTOLD: readonly Column[] = [{ name: '', origin: null }]
const JOINS = ['NATURAL', 'LEFT', 'RIGHT', 'FULL', 'OUTER', 'INNER', 'CROSS', 'JOIN']
const AFTER_TABLE = [...JOINS, 'ON', 'USING', 'INDEXED', 'NOT']
const KEYWORDS: ReadonlySet<string> = new Set(
  `ALL AND AS ASC BETWEEN BY CASE CAST COLLATE CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DESC DISTINCT ELSE END
  ESCAPE EXCLUDE EXISTS FALSE FILTER FIRST FOLLOWING FROM GLOB GROUP GROUPS IN IS ISNULL LAST LIKE MATCH NO NOT NOTNULL NULL
  NULLS OR ORDER OTHERS OVER PARTITION PRECEDING RANGE REGEXP ROW ROWS THEN TIES TRUE UNBOUNDED WHEN WHERE WITHIN`
    .trim()
    .split(/\s+/),
)
/** Words that end an operand, so that a name behind them is an alias. */
const OPERANDS = [
  'NULL',
  'TRUE',
  'FALSE',
  'END',
  'ISNULL',
  'NOTNULL',
  'CURRENT_DATE',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
]

/** What lies between the first parenthesis and the one that closes it. */
const inside = (tokens: readonly Token[]): readonly Token[] => tokens.slice(1, closing(tokens, 0) - 1)

/** The first place outside all parentheses for which `isThere` holds, or the end. */
function clauseAt(tokens: readonly Token[], isThere: (at: number) => boolean): number {
  for (let at = 0; at < tokens.length; at += 1) {
    if (isThere(at)) return at
    if (isSign(tokens[at], '(')) at = closing(tokens, at) - 1
  }
  return tokens.length
}

function windowsOf(tokens: readonly Token[]): Map<string, readonly Token[]> {
  const windows = new Map<string, readonly Token[]>()
  const start = clauseAt(tokens, (at) => isWord(tokens[at], 'WINDOW'))
  for (const part of split(tokens.slice(start + 1), (token) => isSign(token, ',')))
    if (isName(part[0]) && isWord(part[1], 'AS')) windows.set(part[0]!.name, inside(part.slice(2)))
  return windows
}

function aliasAt(item: readonly Token[]): { name: string; end: number } | null {
  const [before, last] = [item.at(-2), item.at(-1)]
  if (before === undefined || last === undefined || !(isName(last) || last.kind === 'string')) return null
  const name = last.kind === 'string' ? last.text.slice(1, -1).replaceAll("''", "'").toLowerCase() : last.name
  if (isWord(before, 'AS')) return { name, end: item.length - 2 }
  const isOperand =
    before.kind === 'string' ||
    before.kind === 'number' ||
    before.kind === 'quoted' ||
    isSign(before, ')') ||
    isWord(before, ...OPERANDS) ||
    (before.kind === 'word' && (!KEYWORDS.has(before.text) || isSign(item.at(-3), '.')))
  const isKeyword = last.kind === 'word' && KEYWORDS.has(last.text)
  return isOperand && !isKeyword ? { name, end: item.length - 1 } : null
}

function aliasOf(tokens: readonly Token[], at: number): { alias: string | null; end: number } {
  const named = isWord(tokens[at], 'AS') ? at + 1 : at
  const token = tokens[named]
  const isAlias = token !== undefined && (isName(token) || token.kind === 'string') && !isWord(token, ...AFTER_TABLE)
  let end = isAlias ? named + 1 : named
  if (isWord(tokens[end], 'NOT') && isWord(tokens[end + 1], 'INDEXED')) end += 2
  else if (isWord(tokens[end], 'INDEXED')) end += 3
  const name = token?.kind === 'string' ? token.text.slice(1, -1).toLowerCase() : token?.name
  return { alias: isAlias ? name! : null, end }
}
