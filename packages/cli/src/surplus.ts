// Words on the command line that the command does not take. Left out silently, a mistyped filter would widen an answer.
import { statSync } from 'node:fs'
import type { Command, Flag } from './command.ts'
import { type CliError, usage } from './exit.ts'

/** Names the first word too many, and the flags that were probably meant. */
export function surplusFault({ name, flags, maxArguments = 0 }: Command, args: readonly string[]): CliError | null {
  const word = args[maxArguments]
  if (word === undefined) return null
  const shown = /^[\w./:-]+$/.test(word) ? word : JSON.stringify(word)
  const meant = Object.entries(flags).flatMap(([flag, one]) => (isValueOf(one, word) ? [`--${flag} ${shown}`] : []))
  const quotes = maxArguments === 0 ? '' : 'put a text of several words in quotes, or '
  const help = meant.length > 0 ? `did you mean ${meant.join(' or ')}?` : `${quotes}see orch ${name} --help`
  return usage(`${shown}: orch ${name} takes ${maxArguments === 0 ? 'no' : 'one'} argument; ${help}`)
}

/** The folder, the digits or the words of the flag tell what kind of value it is. */
function isValueOf({ value = '', words = [] }: Flag, word: string): boolean {
  if (words.includes(word.toLowerCase())) return true
  if (value === 'N' || value === 'PORT') return /^\d+$/.test(word)
  if (!/FOLDER|FILE/.test(value)) return false
  const found = statSync(word, { throwIfNoEntry: false })
  return value.includes('FOLDER') ? found?.isDirectory() === true : found?.isFile() === true
}
