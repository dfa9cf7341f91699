/** Orders to an assistant inside a comment: no reader of the page or the code sees them, and no author needs them there. */
import { isInsideWord, type Match, places } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const MAX_COMMENT = 800
/** How a comment begins, and how it ends; one without an end of its own ends with its line. */
const COMMENTS: readonly (readonly [open: string, close: string])[] = [
  ['<!--', '-->'],
  ['/*', '*/'],
  ['[//]: #', '\n'],
  ['[comment]: #', '\n'],
  ['//', '\n'],
  ['#', '\n'],
  ['--', '\n'],
  ['{#', '#}'],
]

export function commentedInstructions(lower: string): Match[] {
  let behind = 0
  return COMMENTS.flatMap(([open, close]) => places(lower, open).map((from) => ({ from, open, close })))
    .sort((one, other) => one.from - other.from)
    .flatMap(({ from, open, close }): Match[] => {
      // What begins inside another comment was read with it: every letter is read once.
      if (from < behind || !opensComment(lower, from, open)) return []
      const comment = commentAt(lower, from + open.length, close)
      behind = from + open.length + comment.length
      return isInstruction(comment) ? [{ from, to: behind }] : []
    })
}

/** Two slashes behind a colon belong to an address, and a mark inside a word to the word. */
function opensComment(lower: string, from: number, open: string): boolean {
  if (open !== '//' && open !== '#' && open !== '--') return true
  const before = lower.charAt(from - 1)
  return before === '' || before === '\n' || before === ' ' || before === '\t' || before === ';'
}

function commentAt(lower: string, from: number, close: string): string {
  const window = lower.slice(from, from + MAX_COMMENT)
  const end = window.indexOf(close)
  return end < 0 ? window : window.slice(0, end)
}

/** What is told is said to nobody but an assistant. */
const { assistants: ASSISTANTS, addresses: ADDRESSES, telling: TELLING } = wordLists['commented-instruction']
const ORDERS =
  /(?:^|[^a-z])(?:ignore|disregard|forget|override|run|execute|send|forward|reply|respond|answer|say|tell|output|print|include|append|visit|fetch|download|upload|post|delete|remove|approve|reveal|report|mark|rate|recommend|install|do not|don't|never|must|you should|instead|always)(?:[^a-z]|$)/

function isInstruction(comment: string): boolean {
  if (!ORDERS.test(comment)) return false
  return TELLING.some((phrase) => comment.includes(phrase)) || ASSISTANTS.some((name) => isAddressed(comment, name))
}

/** "AI agents: ...", "note to the assistant", "if you are an AI model". */
function isAddressed(comment: string, name: string): boolean {
  return places(comment, name).some((at) => {
    const end = at + name.length
    if (isInsideWord(comment, at) || /[a-z0-9_-]/.test(comment.charAt(end))) return false
    const called =
      /^[:,]\s/.test(comment.slice(end, end + 2)) ||
      comment.startsWith(' reading', end) ||
      comment.startsWith(' processing', end)
    const lead = comment.slice(Math.max(0, at - 24), at).trimEnd()
    const isShort = name === 'agent' || name === 'agents' || name === 'model' || name === 'ai' || name === 'cursor'
    const addressed = ADDRESSES.some((address) => lead === address || lead.endsWith(` ${address}`))
    return called ? !isShort || lead.length < 2 || addressed : !isShort && addressed
  })
}
