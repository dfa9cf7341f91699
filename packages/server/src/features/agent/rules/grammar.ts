/** The forms of the built-in planner, one row for one way to ask for a tool. A clause comes here with single spaces and with
 *  its quotation replaced by one sign, so every pattern is a walk over the clause. */
import { JsonError, parseStrictJson, sha256Hex } from '@orch/core'
import { zoneOf } from '../../../domain/tools/places.ts'
import { spokenExpression } from './spoken-arithmetic.ts'

/** Stands where the clause has its quotation. */
export const QUOTATION = '\ufffc'

export interface Clause {
  /** As it was written, fillers aside. */
  raw: string
  shape: string
  /** What stands between its first and its last quotation mark. */
  quoted: string | null
}

export type Read = { args: Record<string, unknown> } | { missing: string }

export interface Form {
  tool: string
  /** As it is published. */
  written: string
  pattern: RegExp
  read(match: RegExpExecArray, clause: Clause): Read
}

const form = (tool: string, written: string, pattern: string, read: Form['read']): Form => ({
  tool,
  written,
  pattern: new RegExp(`^(?:${pattern})$`, 'is'),
  read,
})

const ASK = "(?:(?:what(?: is|'s|\u2019s)|tell me|give me|show me|know|get|find|compute|calculate) )?(?:the )?"
const ALGORITHM = '(sha-?256|sha3-256)'
const WHAT = '(?:text|word|words|string|phrase|sentence|note)'

const textOr = (missing: string, text: string | undefined, { quoted }: Clause): string | { missing: string } => {
  const bare = (text ?? '').trim()
  if (bare === QUOTATION) return quoted!
  return bare === '' || /["\u201c\u201d\ufffc]/.test(bare) ? { missing } : bare
}

const withText =
  (missing: string, make: (text: string, match: RegExpExecArray) => Record<string, unknown>): Form['read'] =>
  (match, clause) => {
    const text = textOr(missing, match.groups?.text, clause)
    return typeof text === 'string' ? { args: make(text, match) } : text
  }

const algorithmOf = (name: string | undefined) =>
  name === undefined ? {} : { algorithm: name.toLowerCase() === 'sha3-256' ? 'sha3-256' : 'sha256' }

const hashed = withText('the text to hash, such as: hash "TEXT"', (text, { groups }) => ({
  text,
  ...algorithmOf(groups?.before ?? groups?.after),
}))
const counted = withText('the text to count in, such as: count words in "TEXT"', (text) => ({ text }))
const searched = withText('what to search for, such as: search for "WORDS"', (query) => ({ query }))
const checked = withText('the text to check, such as: check "TEXT"', (text) => ({ text }))
const noted = withText('what to note, such as: remember "TEXT" as NAME', (text, { groups }) => ({
  name: groups?.name ?? `note-${sha256Hex(text.toWellFormed()).slice(0, 12)}`,
  text,
}))
const nothing: Form['read'] = () => ({ args: {} })

const DIGEST = /^[0-9a-f]{64}$/i
const digest: Form['read'] = ({ groups }) =>
  DIGEST.test(groups?.digest ?? '')
    ? { args: { digest: groups!.digest!.toLowerCase() } }
    : { missing: 'the digest of a receipt: 64 hex digits' }

const place: Form['read'] = ({ groups }) => {
  const zone = zoneOf(groups?.place ?? '')
  return zone === null
    ? { missing: 'a place that is known here: a city such as Tokyo, or a zone such as Europe/Berlin' }
    : { args: { zone } }
}

const MISSING_SUM = 'what to calculate, such as: 2 + 3 * 4, or: 15 percent of 200'
const sum: Form['read'] = ({ groups }) => {
  const expression = spokenExpression(groups?.sum ?? '')
  return expression === null ? { missing: MISSING_SUM } : { args: { expression } }
}

/** What stands after `in` is read from the clause as it was written: quotation marks belong to the JSON. */
const json: Form['read'] = (_match, { raw }) => {
  const missing = { missing: 'a JSON Pointer or path and a JSON document, such as: query /a/0 in {"a": [1]}' }
  const [, query, text] = /^\S+\s+(\S+)\s+in\s+(\S.*)$/s.exec(raw) ?? []
  if (query === undefined) return missing
  try {
    return { args: { query, document: parseStrictJson(text!) } }
  } catch (error) {
    if (error instanceof JsonError) return missing
    throw error
  }
}

const ARITHMETIC =
  '(?:add|subtract|multiply|divide|double|half of|the half of|(?:the )?(?:sum|product|difference|quotient)) .+'

/** Asked in this order; the first that matches is the one. */
export const FORMS: readonly Form[] = [
  form('json_query', 'query POINTER|PATH in JSON', 'query(?: .*)?', json),
  form(
    'hash',
    'hash [the text|word|string] TEXT [with sha256|sha3-256]',
    `hash(?: (?:(?:the )?${WHAT} )?(?:of )?(?<text>.+?)(?: (?:with|using|by) (?<after>${ALGORITHM}))?)?`,
    hashed,
  ),
  form(
    'hash',
    '[what is] [the] [sha256|sha3-256] hash|digest|checksum of TEXT',
    `${ASK}(?:(?<before>${ALGORITHM}) )?(?:hash|digest|checksum|fingerprint)(?: (?:of|for) (?:(?:the )?${WHAT} )?(?<text>.+?)(?: (?:with|using) (?<after>${ALGORITHM}))?)?`,
    hashed,
  ),
  form(
    'hash',
    '[what is] sha256|sha3-256 of TEXT',
    `${ASK}(?<before>${ALGORITHM})(?: (?:of|for) (?<text>.+))?`,
    hashed,
  ),
  form(
    'time',
    'what time is it in PLACE | [tell me] [the] [current] time in PLACE',
    `(?:what time is it(?: now)?|${ASK}(?:current |local )?time(?: is it)?) (?:in|at) (?<place>.+)`,
    place,
  ),
  form(
    'time',
    'time | what time is it | [tell me] [the] [current] time',
    `what time is it(?: now)?|(?:tell )?${ASK}(?:current )?time(?: now)?`,
    nothing,
  ),
  form(
    'text_stats',
    'count [the words|characters|lines] [in|of] TEXT',
    `(?:count|measure)(?: (?:the )?(?:number of )?(?:words?|characters?|letters?|lines?|bytes?)(?: (?:in|of))?)?(?: (?:(?:the )?${WHAT} )?(?<text>.+))?`,
    counted,
  ),
  form(
    'text_stats',
    'how many words|characters|lines are in TEXT',
    `how many (?:words?|characters?|letters?|lines?|bytes?)(?: (?:are there|are|is))? (?:in|of) (?:(?:the )?${WHAT} )?(?<text>.+)`,
    counted,
  ),
  form(
    'text_stats',
    'how many words|characters|lines does TEXT have',
    'how many (?:words?|characters?|letters?|lines?|bytes?) does (?<text>.+) (?:have|contain)',
    counted,
  ),
  form(
    'text_stats',
    '[what is] [the] word|character|line count of TEXT',
    `${ASK}(?:word|character|letter|line|byte) ?count(?: (?:of|for|in) (?<text>.+))?`,
    counted,
  ),
  form('verify_receipt', 'verify [the] [receipt] DIGEST', 'verify(?: (?:the )?(?:receipt )?(?<digest>\\S+))?', digest),
  form(
    'verify_receipt',
    'check [the] receipt DIGEST | is [the] receipt DIGEST valid',
    '(?:check (?:the )?receipt|is (?:the )?receipt)(?: (?<digest>\\S+)(?: (?:valid|genuine|authentic|ok))?)?',
    digest,
  ),
  form(
    'ledger_lookup',
    'look up [the] [receipt] DIGEST | find|show|where is receipt DIGEST',
    '(?:lookup|look up)(?: (?:the )?(?:receipt |digest )?(?<digest>\\S+))?|(?:find|show|show me|get|where is) (?:the )?receipt(?: (?<digest>\\S+))?',
    digest,
  ),
  form(
    'session_clear',
    'clear|forget|delete|erase [all] [my|the] notes|session | forget everything',
    '(?:clear|forget|delete|erase|wipe)(?: all)?(?: of)? (?:(?:my|the|these|our) )?(?:session|notes)|forget (?:everything|it all)',
    nothing,
  ),
  form(
    'note_put',
    'remember|note [down] [that] TEXT [as NAME] | make a note that|of TEXT',
    '(?:remember|note(?: down)?|write down|save(?: a note)?|keep in mind|make a note)(?: (?:that |of |of that |: ?)?(?<text>.+?)(?: as (?<name>[A-Za-z0-9][\\w.-]{0,63}))?)?',
    noted,
  ),
  form(
    'retrieve',
    'search|recall [my notes] [for] TEXT | find TEXT in my notes',
    '(?:search|retrieve|recall)(?: (?:in )?(?:my |the )?notes)?(?: for| about)?(?: (?<text>.+))?',
    searched,
  ),
  form(
    'retrieve',
    'what did I note|say about TEXT | what do you remember|know about TEXT',
    '(?:what (?:did i (?:note|say|tell you|write down)|do you (?:remember|know|recall)|do my notes say)(?: (?:about|of|on) (?<text>.+))?|find (?<text>.+) in (?:my|the) notes|do you remember (?<text>.+))',
    searched,
  ),
  form(
    'gate_check',
    'check [whether|if] TEXT [is safe|allowed|passes] | would the gates allow TEXT',
    '(?:gate check|check|run the gates on|would the gates (?:allow|pass|block)|do the gates (?:allow|pass|block))(?: (?:whether |if )?(?:the )?(?:text )?(?<text>.+?)(?: (?:is (?:safe|allowed|ok|harmless)|would pass|passes|against the gates|with the gates)(?: the gates)?)?)?',
    checked,
  ),
  form(
    'calc',
    'calculate|calc|compute|what is|how much is EXPRESSION, in signs or words',
    "(?:calculate|calc|compute|how much is|what(?: is|'s|\u2019s))(?: (?<sum>.+))?",
    sum,
  ),
  form(
    'calc',
    'add A and B | subtract A from B | multiply|divide A by B | sum|product|difference of A and B',
    `(?<sum>${ARITHMETIC})`,
    sum,
  ),
  form(
    'calc',
    'A plus|minus|times|divided by B | A percent of B',
    '(?<sum>.*\\d.*|.+ (?:plus|minus|times|divided by|multiplied by) .+)',
    sum,
  ),
]
