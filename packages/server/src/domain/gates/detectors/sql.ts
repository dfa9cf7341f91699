/** SQL that destroys or escapes its string, in the form of a statement. "How do I drop a table" is a question. */
import { type Dropped, rewrittenText } from './rewritten.ts'
import {
  DESTROYS,
  DESTROYS_PART,
  isAlnumCode,
  isBlankCode,
  isInsideWord,
  isLetterCode,
  type Match,
  places,
  runEnd,
  runStart,
  skipBlanks,
} from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const MAX_NAME = 64

/** Every form below begins with one of these. */
const BEGINNINGS = /drop|truncate|alter|delete|update|union|grant|program|xp_cmdshell|into outfile|waitfor delay|['"]/

export function sqlStatement(lower: string): Match[] {
  if (!BEGINNINGS.test(lower)) return []
  const found = statements(lower)
  if (!lower.includes('*/')) return found
  // A comment is a blank to a database. Both are read, since some run what stands in a comment.
  const uncommented = rewrittenText(lower.slice(0), commentsIn(lower.slice(0)))
  return [...found, ...statements(uncommented.text).map(uncommented.placed)]
}

function commentsIn(text: string): Dropped[] {
  const found: Dropped[] = []
  for (let from = text.indexOf('/*'); from >= 0; ) {
    const close = text.indexOf('*/', from + 2)
    if (close < 0) break
    found.push({ from, to: close + 2, instead: ' ' })
    from = text.indexOf('/*', close + 2)
  }
  return found
}

function statements(lower: string): Match[] {
  return [
    ...destroying(lower),
    ...altering(lower),
    ...granting(lower),
    ...programs(lower),
    ...emptying(lower),
    ...deleting(lower),
    ...updating(lower),
    ...unions(lower),
    ...tautologies(lower),
    ...procedures(lower),
  ]
}

const OBJECTS = wordLists.sql.objects
/** What can be made again from the rest. */
const DERIVED = ['view', 'index']

function destroying(lower: string): Match[] {
  return ['drop', 'truncate', 'alter'].flatMap((verb) =>
    [...places(lower, verb)].flatMap((from) => {
      const object = wordAt(lower, skipBlanks(lower, from + verb.length))
      if (isInsideWord(lower, from) || !OBJECTS.includes(object.word)) return []
      const named = afterIfExists(lower, object.to)
      // A script that may run twice says so, and is no break-out.
      const repeatable = named > object.to && !isInjected(lower, from)
      const shown = repeatable || DERIVED.includes(object.word) ? DESTROYS_PART : DESTROYS
      return statementFrom(lower, from, named).map((match) => ({ ...match, ...shown }))
    }),
  )
}

/** `ALTER TABLE users DROP COLUMN email`: what the column held is gone; migrations do it too. */
function altering(lower: string): Match[] {
  return places(lower, 'alter').flatMap((from): Match[] => {
    const table = wordAt(lower, skipBlanks(lower, from + 5))
    if (isInsideWord(lower, from) || table.word !== 'table') return []
    const name = nameAt(lower, skipBlanks(lower, afterIfExists(lower, table.to)))
    const drop = wordAt(lower, skipBlanks(lower, name))
    const part = wordAt(lower, skipBlanks(lower, drop.to))
    if (drop.word !== 'drop' || !['column', 'partition'].includes(part.word)) return []
    const begin = skipBlanks(lower, afterIfExists(lower, part.to))
    const to = nameAt(lower, begin)
    return to > begin ? [{ from, to, ...DESTROYS_PART }] : []
  })
}

/** Every right on every database. */
const granting = (lower: string): Match[] =>
  places(lower, 'grant').flatMap((from): Match[] => {
    const [grant = ''] =
      /^grant\s{1,8}all\s{1,8}(?:privileges\s{1,8})?on\s{1,8}\*\.\*/.exec(lower.slice(from, from + 64)) ?? []
    return grant === '' || isInsideWord(lower, from) ? [] : [{ from, to: from + grant.length, severity: 'hold' }]
  })

const COPY_REACH = 240

/** `COPY ... TO PROGRAM 'curl ...'`: the database runs a command of the machine. */
const programs = (lower: string): Match[] =>
  places(lower, 'program').flatMap((at): Match[] => {
    const [lead, tail] = [lower.slice(Math.max(0, at - COPY_REACH), at), lower.slice(at + 7, at + 16)]
    const copy = lead.lastIndexOf('copy')
    if (copy < 0 || !/\s(?:to|from)\s{1,8}$/.test(lead) || !/^\s{0,8}['"$]/.test(tail)) return []
    return [{ from: at - lead.length + copy, to: at + 7, effect: 'external', severity: 'hold' }]
  })

/** Behind the end of a string or of another statement, and not at the beginning of the text or of a line. */
const isInjected = (lower: string, from: number): boolean =>
  from > 0 && !startsLine(lower, from) && ';\'")'.includes(leadOf(lower, from))

/** `TRUNCATE users;` without its object word: a statement by itself, from where one may begin to its semicolon. */
function emptying(lower: string): Match[] {
  return [...places(lower, 'truncate')].flatMap((from) => {
    const begin = skipBlanks(lower, from + 8)
    const to = behindOptions(lower, namesAt(lower, begin))
    // `truncate $file, 0;` of other languages: a number is no name.
    const named = to > begin && !/(?:^|, ?)[0-9]{1,20}(?:,|$)/.test(lower.slice(begin, to))
    const ended = begin > from + 8 && named && lower.charAt(skipBlanks(lower, to)) === ';'
    const begins = ';\'")`:\n>'.includes(leadOf(lower, from)) || startsLine(lower, from)
    return ended && begins ? [{ from, to, ...DESTROYS }] : []
  })
}

/** An update that broke out of another statement, or that holds for every row. */
function updating(lower: string): Match[] {
  return [...places(lower, 'update')].flatMap((from) => {
    const begin = skipBlanks(lower, from + 6)
    const set = wordAt(lower, skipBlanks(lower, nameAt(lower, begin)))
    if (isInsideWord(lower, from) || begin === from + 6 || set.word !== 'set') return []
    const rest = lower.slice(set.to, set.to + MAX_UPDATE)
    if (!rest.includes('=')) return []
    const broken = ';\'")'.includes(leadOf(lower, from)) && from > 0 && !startsLine(lower, from)
    if (broken || holdsAlways(rest)) return [{ from, to: set.to, ...DESTROYS }]
    return isOfEveryRow(lower, from, rest) ? [{ from, to: set.to, ...DESTROYS_PART }] : []
  })
}

const MAX_UPDATE = 240

/** A statement of its own whose end is in sight and that names no row. */
function isOfEveryRow(lower: string, from: number, rest: string): boolean {
  const begins = ';`"\':'.includes(leadOf(lower, from)) || startsLine(lower, from)
  const end = rest.search(/[;`]/)
  const statement = end < 0 ? rest : rest.slice(0, end)
  return begins && (end >= 0 || rest.length < MAX_UPDATE) && !/ (?:where|from|join|limit) /.test(statement)
}

function holdsAlways(rest: string): boolean {
  const at = rest.indexOf('where ')
  return (
    at >= 0 &&
    isAlwaysTrue(
      rest
        .slice(at + 6)
        .replaceAll(' ', '')
        .replaceAll("'", ''),
    )
  )
}

/** The last letter before the blanks before a place; a semicolon at the very beginning. */
function leadOf(lower: string, from: number): string {
  const before = runStart(lower, from, isBlankCode, 8)
  return before === 0 ? ';' : lower.charAt(before - 1)
}

/** Behind no more than what a script is indented with. */
const startsLine = (lower: string, from: number): boolean =>
  from > 0 && /\n[ \t]{0,32}$/.test(lower.slice(Math.max(0, from - MAX_INDENT - 1), from))
const MAX_INDENT = 32

/** So much of the text before a statement tells whether it is one of a script. */
export const SCRIPT_REACH = 256

/** Whether what follows begins a line, and the line before leaves no string open. */
export function isOfScript(before: string): boolean {
  const line = before.trimEnd().split('\n').at(-1) ?? ''
  return startsLine(before, before.length) && ["'", '"'].every((quote) => line.split(quote).length % 2 === 1)
}

function deleting(lower: string): Match[] {
  return [...places(lower, 'delete')].flatMap((from) => {
    const second = wordAt(lower, skipBlanks(lower, from + 6))
    if (isInsideWord(lower, from) || second.word !== 'from') return []
    const name = nameAt(lower, skipBlanks(lower, second.to))
    const next = wordAt(lower, skipBlanks(lower, name))
    // Some rows are everyday work; all of them, or a statement behind another's string, are not.
    if (next.word === 'where' && hasComparison(lower, next.to))
      return isInjected(lower, from) || holdsAlways(lower.slice(name, name + 120))
        ? [{ from, to: next.to, ...DESTROYS }]
        : []
    if (name === second.to || !endsStatement(lower, name) || !isBroken(lower, from, name)) return []
    return [{ from, to: name, ...DESTROYS }]
  })
}

function afterIfExists(lower: string, at: number): number {
  const word = wordAt(lower, skipBlanks(lower, at))
  if (word.word !== 'if') return at
  const exists = wordAt(lower, skipBlanks(lower, word.to))
  return exists.word === 'exists' ? exists.to : at
}

/** A name follows, then the statement ends; and it began one, or broke out of a string. */
function statementFrom(lower: string, from: number, at: number): Match[] {
  const begin = skipBlanks(lower, at)
  const to = behindOptions(lower, namesAt(lower, begin))
  if (begin === at || to === begin || !endsStatement(lower, to)) return []
  return isBroken(lower, from, to) ? [{ from, to }] : []
}

const MAX_NAMES = 8

/** `a, b, c`. */
function namesAt(lower: string, from: number): number {
  let to = nameAt(lower, from)
  for (let count = 1; count < MAX_NAMES && lower.charAt(skipBlanks(lower, to)) === ','; count++) {
    const begin = skipBlanks(lower, skipBlanks(lower, to) + 1)
    const end = nameAt(lower, begin)
    if (end === begin) break
    to = end
  }
  return to
}

const OPTIONS = ['cascade', 'restrict', 'restart', 'continue', 'identity', 'constraints']

/** The words that may follow the names. */
function behindOptions(lower: string, at: number): number {
  const { word, to } = wordAt(lower, skipBlanks(lower, at))
  return OPTIONS.includes(word) ? behindOptions(lower, to) : at
}

function isBroken(lower: string, from: number, to: number): boolean {
  const lead = leadOf(lower, from)
  const tail = skipBlanks(lower, to)
  return (
    lower.charAt(tail) === ';' ||
    lower.startsWith('--', tail) ||
    (';\'")`:'.includes(lead) && tail >= lower.length) ||
    // A whole statement in quotation marks, escaped or not: the argument of a client.
    ('\'"'.includes(lead) && lower.charAt(lower.charAt(tail) === '\\' ? tail + 1 : tail) === lead)
  )
}

function endsStatement(lower: string, at: number): boolean {
  const next = skipBlanks(lower, at)
  return next >= lower.length || ';)`"\'\\'.includes(lower.charAt(next)) || lower.startsWith('--', next)
}

function hasComparison(lower: string, at: number): boolean {
  const rest = lower.slice(at, at + 64)
  return rest.includes('=') || rest.includes(' like ') || rest.includes(' in (')
}

function unions(lower: string): Match[] {
  return [...places(lower, 'union')].flatMap((from) => {
    const second = wordAt(lower, skipBlanks(lower, from + 5))
    const verb = second.word === 'all' ? wordAt(lower, skipBlanks(lower, second.to)) : second
    if (isInsideWord(lower, from) || verb.word !== 'select' || isOwnQuery(lower, from)) return []
    const next = skipBlanks(lower, verb.to)
    const listed = lower.slice(next, next + 80)
    return listed.includes(',') || listed.includes(' from ') || listed.startsWith('*') ? [{ from, to: next }] : []
  })
}

/** A query that was written as a union from its beginning, and in which nothing was broken off before. */
const isOwnQuery = (lower: string, from: number): boolean =>
  /^\s{0,8}(?:select|with|\(select|create|insert)\s/.test(lower.slice(0, 16)) &&
  !/[0-9'"]\s{0,8}$/.test(lower.slice(Math.max(0, from - 9), from))

/** `' or 1=1`, `' or 'a'='a`, `' or true--`: a quote was broken first, else it is a formula. */
function tautologies(lower: string): Match[] {
  return ["'", '"'].flatMap((quote) =>
    [...places(lower, quote)].flatMap((from) => {
      const word = wordAt(lower, skipBlanks(lower, from + 1))
      if (word.word !== 'or' && word.word !== 'and') return []
      const written = lower.slice(word.to, word.to + 40)
      const rest = written.replaceAll(' ', '').replaceAll(quote, '')
      return isAlwaysTrue(rest) && !isAssigned(written) ? [{ from, to: word.to + 1 }] : []
    }),
  )
}

/** `'' line = line[0:end]` of a program: a name with a bracket behind it is not the same name alone. */
const isAssigned = (written: string): boolean => {
  const equals = written.indexOf('=')
  const name = /[a-z_][a-z0-9_]{0,15} ?$/.exec(written.slice(0, Math.max(0, equals)))?.[0].trim()
  const right = written.slice(equals + 1).trimStart()
  return name !== undefined && (right.startsWith(`${name}[`) || right.startsWith(`${name}(`))
}

function isAlwaysTrue(rest: string): boolean {
  const equals = rest.indexOf('=')
  const left = rest.slice(0, equals)
  if (equals > 0 && left.length <= 16 && rest.startsWith(left, equals + 1)) return true
  return ['true', 'nottrue', 'notfalse', '1'].some(
    (constant) => rest.startsWith(constant) && isCutOff(rest, constant.length),
  )
}

/** A comment swallows the rest of the statement. */
const isCutOff = (rest: string, at: number): boolean =>
  rest.startsWith('--', at) || rest.startsWith('#', at) || rest.startsWith('/*', at) || rest.startsWith(';', at)

const procedures = (lower: string): Match[] =>
  ['xp_cmdshell', 'into outfile', 'waitfor delay'].flatMap((name) =>
    [...places(lower, name)].map((from) => ({ from, to: from + name.length })),
  )

function wordAt(lower: string, from: number): { word: string; to: number } {
  const to = runEnd(lower, from, isLetterCode, MAX_NAME)
  return { word: lower.slice(from, to), to }
}

/** Quotation marks belong to a name where they open at its beginning or behind a point: others close what it stands in. */
function nameAt(lower: string, from: number): number {
  let to = from
  let open = ''
  for (; to - from < MAX_NAME; to++) {
    const letter = lower.charAt(to)
    if (letter === '"' || letter === '`') {
      if (open === letter) open = ''
      else if (open === '' && (to === from || lower.charAt(to - 1) === '.')) open = letter
      else break
    } else if (!isAlnumCode(lower.charCodeAt(to)) && !'_.$[]'.includes(letter || ' ')) break
  }
  return to
}
