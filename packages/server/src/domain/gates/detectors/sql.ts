// SQL that destroys or escapes its string, in the form of a statement. "How do I drop a table" is a question.
import { isAlnumCode, isBlankCode, isInsideWord, isLetterCode, type Match, places, skipBlanks } from './scanner.ts'

const LONGEST_NAME = 64

export function sqlStatement(lower: string): Match[] {
  return [...destroying(lower), ...deleting(lower), ...unions(lower), ...tautologies(lower), ...procedures(lower)]
}

const OBJECTS = ['table', 'database', 'schema', 'view', 'index', 'user']

function destroying(lower: string): Match[] {
  return ['drop', 'truncate', 'alter'].flatMap((verb) =>
    [...places(lower, verb)].flatMap((from) => {
      const object = wordAt(lower, skipBlanks(lower, from + verb.length))
      if (isInsideWord(lower, from) || !OBJECTS.includes(object.word)) return []
      return statementFrom(lower, from, afterIfExists(lower, object.to))
    }),
  )
}

function deleting(lower: string): Match[] {
  return [...places(lower, 'delete')].flatMap((from) => {
    const second = wordAt(lower, skipBlanks(lower, from + 6))
    if (isInsideWord(lower, from) || second.word !== 'from') return []
    const name = nameAt(lower, skipBlanks(lower, second.to))
    const next = wordAt(lower, skipBlanks(lower, name))
    if (next.word === 'where' && hasComparison(lower, next.to)) return [{ from, to: next.to }]
    return name > second.to && endsStatement(lower, name) && isBroken(lower, from, name) ? [{ from, to: name }] : []
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
  const to = nameAt(lower, begin)
  if (begin === at || to === begin || !endsStatement(lower, to)) return []
  return isBroken(lower, from, to) ? [{ from, to }] : []
}

function isBroken(lower: string, from: number, to: number): boolean {
  let before = from
  while (before > 0 && from - before < 8 && isBlankCode(lower.charCodeAt(before - 1))) before--
  const lead = before === 0 ? ';' : lower.charAt(before - 1)
  const tail = skipBlanks(lower, to)
  return (
    lower.charAt(tail) === ';' || lower.startsWith('--', tail) || (';\'")`:'.includes(lead) && tail >= lower.length)
  )
}

function endsStatement(lower: string, at: number): boolean {
  const next = skipBlanks(lower, at)
  return (
    next >= lower.length ||
    ';)`"\''.includes(lower.charAt(next)) ||
    lower.startsWith('--', next) ||
    wordAt(lower, next).word === 'cascade'
  )
}

function hasComparison(lower: string, at: number): boolean {
  const rest = lower.slice(at, at + 64)
  return rest.includes('=') || rest.includes(' like ') || rest.includes(' in (')
}

function unions(lower: string): Match[] {
  return [...places(lower, 'union')].flatMap((from) => {
    const second = wordAt(lower, skipBlanks(lower, from + 5))
    const verb = second.word === 'all' ? wordAt(lower, skipBlanks(lower, second.to)) : second
    if (isInsideWord(lower, from) || verb.word !== 'select') return []
    const next = skipBlanks(lower, verb.to)
    const listed = lower.slice(next, next + 80)
    return listed.includes(',') || listed.includes(' from ') || listed.startsWith('*') ? [{ from, to: next }] : []
  })
}

/** `' or 1=1`, `' or 'a'='a`: a quote was broken first, else it is a formula. */
function tautologies(lower: string): Match[] {
  return ["'", '"'].flatMap((quote) =>
    [...places(lower, quote)].flatMap((from) => {
      const word = wordAt(lower, skipBlanks(lower, from + 1))
      if (word.word !== 'or' && word.word !== 'and') return []
      const rest = lower
        .slice(word.to, word.to + 40)
        .replaceAll(' ', '')
        .replaceAll(quote, '')
      const equals = rest.indexOf('=')
      const left = rest.slice(0, equals)
      return equals > 0 && left.length <= 16 && rest.startsWith(left, equals + 1)
        ? [{ from, to: word.to + equals }]
        : []
    }),
  )
}

const procedures = (lower: string): Match[] =>
  ['xp_cmdshell', 'into outfile', 'waitfor delay'].flatMap((name) =>
    [...places(lower, name)].map((from) => ({ from, to: from + name.length })),
  )

function wordAt(lower: string, from: number): { word: string; to: number } {
  let to = from
  while (to - from < LONGEST_NAME && isLetterCode(lower.charCodeAt(to))) to++
  return { word: lower.slice(from, to), to }
}

function nameAt(lower: string, from: number): number {
  let to = from
  while (to - from < LONGEST_NAME && (isAlnumCode(lower.charCodeAt(to)) || '_.$[]"`'.includes(lower.charAt(to) || ' ')))
    to++
  return to
}
