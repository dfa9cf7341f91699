/** Commands as a shell would read them. Only programs that a rule knows are read at all; every one of them once, however
 *  many rules ask. What is around a command, prose or a prompt, is left to the rules of mention. */
import { unitAt } from '../../text/code-points.ts'
import { type Dropped, rewrittenText } from './rewritten.ts'
import {
  isAlnumCode,
  isBlankCode,
  isInsideWord,
  isLetterCode,
  type Match,
  places,
  runEnd,
  skipBlanks,
} from './scanner.ts'

export interface Command {
  /** In lower case, as everything here. */
  name: string
  args: readonly string[]
  from: number
  to: number
}

/** What a command shows: how grave it is here and what it would do. Null where it is an everyday one. */
export type Shown = Pick<Match, 'severity' | 'effect'> | null
export type CommandRule = (command: Command, text: string) => Shown

/** The rows of a table that several programs have in common. */
export const sharedRule = (programs: string, rule: CommandRule): Record<string, CommandRule> =>
  Object.fromEntries(programs.split(' ').map((program) => [program, rule]))

const MAX_ARGUMENTS = 16
const MAX_COMMAND = 240
const MAX_ARGUMENT = 96
const MAX_PROGRAM = 24

/** The programs that are read, and how their names begin: most words of a text begin like none of them. Each command gets
 *  the name from here, the same string every time: a table is quicker to look it up than one cut from the text. */
export interface Programs {
  names: ReadonlyMap<string, string>
  beginnings: Uint8Array
}

export function programsOf(names: readonly string[]): Programs {
  const beginnings = new Uint8Array(1024)
  for (const name of names) beginnings[beginningOf(name, 0)] = 1
  return { names: new Map(names.map((name) => [name, name])), beginnings }
}

const beginningOf = (text: string, at: number): number =>
  ((text.charCodeAt(at) & 31) << 5) | (at + 1 < text.length ? text.charCodeAt(at + 1) & 31 : 0)

/** As the text stands, and as a shell reads it where quoting parts a word: `r\\m`, `r''m`, `rm${IFS}-rf`. */
export function commandsIn(lower: string, programs: Programs): Command[] {
  const plainly = commandsAsWritten(lower, programs)
  if (!QUOTED_INSIDE.test(lower)) return plainly
  const unquoted = rewrittenText(lower.slice(0), quotingInside(lower.slice(0)))
  const hidden = commandsAsWritten(unquoted.text, programs).filter(unquoted.isChanged).map(unquoted.placed)
  return [...plainly, ...hidden]
}

const QUOTED_INSIDE = /[a-z](?:\\|''|"")[\\a-z"]|\$\{?ifs/

/** What a shell drops inside a word, as it stands or escaped in JSON, and the variable that it reads as a blank. */
function quotingInside(text: string): Dropped[] {
  const found: Dropped[] = []
  for (let at = 0; at < text.length; at++) {
    const size = isShellMark(text.charCodeAt(at)) ? quotingAt(text, at) : 0
    if (size === 0) continue
    found.push({ from: at, to: at + size, instead: text.charAt(at) === '$' ? ' ' : '' })
    at += size - 1
  }
  return found
}

/** Backslash, quotation marks, dollar. */
const isShellMark = (code: number): boolean => code === 92 || code === 39 || code === 34 || code === 36

function quotingAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === DOLLAR) return VARIABLES.find((name) => text.startsWith(name, at))?.length ?? 0
  if (!isLetterCode(unitAt(text, at - 1))) return 0
  const isDoubled = unitAt(text, at + 1) === code
  const size = code !== BACKSLASH ? 2 * Number(isDoubled) : isDoubled ? 2 : text.startsWith('\\"\\"', at) ? 4 : 1
  return isLetterCode(unitAt(text, at + size)) ? size : 0
}

const DOLLAR = 36
const BACKSLASH = 92
/** What begins another comes behind it. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
const VARIABLES = ['${ifs}', '$ifs$9', '$ifs']

/** One walk over the words of a text. */
function commandsAsWritten(lower: string, { names, beginnings }: Programs): Command[] {
  const found: Command[] = []
  const { length } = lower
  for (let at = 0; at < length; at++) {
    if (!isLetterCode(lower.charCodeAt(at))) continue
    const from = at++
    while (at < length && isProgramCode(lower.charCodeAt(at))) at++
    if (beginnings[beginningOf(lower, from)] === 0 || at - from > MAX_PROGRAM || !beginsWord(lower, from)) continue
    const name = names.get(programOf(lower.slice(from, at)))
    if (name !== undefined) found.push(commandAt(lower, name, from, at))
  }
  return found
}

/** Underscores in pairs are the bold of Markdown. */
const beginsWord = (lower: string, at: number): boolean =>
  !isInsideWord(lower, at) || (lower.startsWith('__', at - 2) && !isInsideWord(lower, at - 2))

const PROGRAM_CODES = Uint8Array.from({ length: 128 }, (_, code) =>
  isAlnumCode(code) || code === 45 || code === 95 ? 1 : 0,
)

const isProgramCode = (code: number): boolean => code < 128 && PROGRAM_CODES[code] === 1

/** python3 is python. */
const programOf = (word: string): string => (word.startsWith('python') ? word.replace(/[0-9]{1,3}$/, '') : word)

/** What ends an argument; 0 for what may stand in one. */
const [QUOTE, OTHER_END] = [1, 2]
const TERMINATORS = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code)
  if ('"\'`'.includes(letter)) return QUOTE
  return isBlankCode(code) || ';&|'.includes(letter) ? OTHER_END : 0
})
const endAt = (lower: string, at: number): number => {
  const code = unitAt(lower, at)
  return code >= 0 && code < 128 ? (TERMINATORS[code] as number) : 0
}

function commandAt(lower: string, name: string, from: number, end: number): Command {
  const after = suffixEnd(lower, end)
  if (endAt(lower, after) === QUOTE && lower.charAt(skipBlanks(lower, after + 1)) === ',')
    return { name, from, ...listedArguments(lower, after) }
  const begin = behindClosing(lower, from, after)
  if (!isBlankCode(unitAt(lower, begin)) || lower.charAt(begin) === '\n') return { name, from, args: [], to: after }
  return { name, from, ...argumentsAt(lower, begin, name) }
}

/** `"rm" -rf /`: behind the quotation mark of a name that stands in two alone; they may be escaped. */
function behindClosing(lower: string, from: number, after: number): number {
  const close = lower.charAt(after) === '\\' ? after + 1 : after
  return endAt(lower, close) === QUOTE && unitAt(lower, from - 1) === unitAt(lower, close) ? close + 1 : after
}

const MAX_SUFFIX = 12

/** `wmic.exe`, `nc.traditional`: the program under its file's name. */
function suffixEnd(lower: string, from: number): number {
  if (lower.charAt(from) !== '.') return from
  const to = runEnd(lower, from + 1, isLetterCode, MAX_SUFFIX - 1)
  return isBlankCode(unitAt(lower, to)) ? to : from
}

/** `["rm", "-rf", "/"]`: a command as a list of strings. */
function listedArguments(lower: string, from: number): { args: string[]; to: number } {
  const args: string[] = []
  let at = from
  while (args.length < MAX_ARGUMENTS && at - from < MAX_COMMAND) {
    const comma = skipBlanks(lower, at + 1)
    const open = skipBlanks(lower, comma + 1)
    if (lower.charAt(comma) !== ',' || endAt(lower, open) !== QUOTE) break
    let close = open + 1
    while (close < lower.length && close - open < MAX_ARGUMENT && lower.charAt(close) !== lower.charAt(open)) close++
    args.push(lower.slice(open + 1, close))
    at = close
  }
  return { args, to: at }
}

const SENTENCE_WORDS = new Set(['the', 'is', 'are', 'was', 'were', 'an', 'this', 'that', 'which', 'when', 'because'])
const LONGEST = Math.max(...[...SENTENCE_WORDS].map((word) => word.length))
/** Most arguments are told without being looked up, which reads all of them. */
const isSentenceWord = (argument: string): boolean =>
  argument.length <= LONGEST && isLetterCode(unitAt(argument, 0)) && SENTENCE_WORDS.has(argument)

/** Up to the end of the command: a quotation mark that closes what it stands in ends it as well. */
export function argumentsAt(lower: string, from: number, name: string): { args: string[]; to: number } {
  const args: string[] = []
  let at = from
  while (args.length < MAX_ARGUMENTS && at - from < MAX_COMMAND) {
    const begin = skipSpaces(lower, at)
    const quoted = endAt(lower, begin) === QUOTE
    const end = argumentEnd(lower, quoted ? begin + 1 : begin)
    if (end === begin) break
    const argument = lower.slice(quoted ? begin + 1 : begin, end)
    // The next command of the same name has its own arguments; a comment and a sentence have none at all.
    if (argument === name || argument.startsWith('#') || isSentenceWord(argument)) break
    args.push(argument)
    // The text may end before the quotation does.
    at = quoted ? Math.min(end + 1, lower.length) : end
    if (!quoted && endAt(lower, end) === QUOTE) break
  }
  return { args, to: at }
}

/** A backslash at the end of a line goes on with the next one; the end of the line itself ends the command. */
function skipSpaces(lower: string, from: number): number {
  let at = from
  for (let read = 0; read < 24; read++) {
    if (unitAt(lower, at) === 32 || unitAt(lower, at) === 9) at++
    else if (unitAt(lower, at) === BACKSLASH && unitAt(lower, at + 1) === 10) at += 2
    else break
  }
  return at
}

function argumentEnd(lower: string, from: number): number {
  const end = Math.min(from + MAX_ARGUMENT, lower.length)
  let at = from
  while (at < end && endAt(lower, at) === 0) at++
  return at
}

/** Without the marks of the sentence it stands at the end of, and of the bold type it may be in. */
export const plain = (argument: string): string =>
  ENDING_MARKS.includes(argument.charAt(argument.length - 1))
    ? argument
        .replace(/[.,?!:)\]}]{1,4}$/, '')
        .replace(/(?:\*\*|__)$/, '')
        .replace(/[.,?!:)\]}]{1,4}$/, '')
    : argument

const ENDING_MARKS = '.,?!:)]}*_'

/** The first argument that is no flag and no value of one, and those behind it. */
export const operands = ({ args }: Command): string[] => args.filter((arg) => !arg.startsWith('-')).map(plain)

export const hasFlag = ({ args }: Command, ...flags: readonly string[]): boolean =>
  args.some((arg) => flags.some((flag) => arg === flag || arg.startsWith(`${flag}=`)))

/** A letter among short flags, as in -rf. */
export const hasLetter = ({ args }: Command, letter: string): boolean =>
  args.some((arg) => /^-[a-z]{1,8}$/.test(arg) && arg.includes(letter))

/** The matches of the commands that a table has rules for. */
export function commandMatches(
  text: string,
  commands: readonly Command[],
  rules: Readonly<Record<string, CommandRule>>,
): Match[] {
  const found: Match[] = []
  for (const command of commands) {
    const shown = Object.hasOwn(rules, command.name) ? rules[command.name]?.(command, text) : null
    if (shown) found.push({ from: command.from, to: command.to, ...shown })
  }
  return found
}

/** Literals that are a command wherever they stand. */
export function literalMatches(lower: string, literals: readonly string[], shown: Shown): Match[] {
  const found: Match[] = []
  for (const literal of literals)
    for (const from of places(lower, literal))
      if (!isInsideWord(lower, from)) found.push({ from, to: from + literal.length, ...shown })
  return found
}

/** Blanks and quotation marks part words, and what begins another command separates commands. */
export const [PARTS, SEPARATES] = [1, 2]
const MARKS = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code)
  return ';&|\n'.includes(letter) ? SEPARATES : /[\s"'`]/.test(letter) ? PARTS : 0
})
/** 0 for what a word is made of. */
export const markOf = (code: number): number =>
  code < 128 ? (MARKS[code] as number) : /\s/.test(String.fromCharCode(code)) ? PARTS : 0

/** A part of the text around a place, for what a command does together with its neighbours. */
export const around = (lower: string, from: number, before: number, behind: number): string =>
  lower.slice(Math.max(0, from - before), from + behind)
