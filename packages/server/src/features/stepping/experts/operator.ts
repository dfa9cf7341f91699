/** Operator: whether the means fit the request, and whether it asks for more power than it was given. */
import type { Fraction } from '../../../domain/exact-number.ts'
import { FULL, isLess, NONE, ratio } from '../rules/millionths.ts'
import { GUARD, type ModeHint } from '../rules/mode.ts'
import type { ExpertFinding } from '../schemas.ts'
import { distinct, expertFinding, notUnderstood, type Opinion } from './expert.ts'
import { verbForm } from './inflection.ts'
import type { StepLexicon } from './lexicon.ts'
import { isForbidden } from './negation.ts'
import { placeOf, type Reading, type ReadView } from './reading.ts'
import { GRAMMAR, SUBJECTS } from './word-lists.ts'

const WORD_ALONE = ratio(4, 10)
const LOW_QUOTA = 10
const CONTEXT_LIMIT = 131_072
/** A control stands within so many words of the verb that switches it off. */
const CONTROL_REACH = 4

export interface OperatorInput {
  reading: Reading
  lexicon: StepLexicon
  active_tool_count: number
  context_tokens: number
  memory_pressure: Fraction | null
  mode_hint: ModeHint
  /** Steps the owner may still record; null where no quota is counted. */
  remaining_quota: number | null
}

export function operator(input: OperatorInput): Opinion {
  const privileges = input.reading.views.flatMap((view) => privilegesIn(view, input.lexicon))
  const escalates = privileges.length > 0 && hasOtherEffect(input.reading, privileges)
  const code = escalates ? 'PRIVILEGE_ESCALATION' : 'PRIVILEGE_WORD'
  const cautions = means(input)
  const lost = !input.reading.understood && privileges.length + cautions.length === 0
  return {
    expert: 'operator',
    verdict: escalates ? 'block' : cautions.length > 0 ? 'caution' : lost ? 'abstain' : 'pass',
    findings: distinct([
      ...(lost ? [notUnderstood(null)] : []),
      ...privileges.map(({ evidence, span }) => expertFinding(code, evidence, 'privilege', span)),
      ...cautions,
      ...notes(input),
    ]),
    intensities: { privilege: escalates ? FULL : privileges.length > 0 ? WORD_ALONE : NONE },
  }
}

interface Privilege {
  span: ExpertFinding['span']
  evidence: string
  /** Tokens of the phrase, so that its own verb is not taken for the effect. */
  view: ReadView
  from: number
  to: number
}

function privilegesIn(view: ReadView, lexicon: StepLexicon): Privilege[] {
  const found: Privilege[] = []
  const forbidden = new Map(view.actions.map(({ at, use }) => [at, use === 'forbidden']))
  for (let at = 0; at < view.tokens.length; at++) {
    const size = privilegeAt(view, at, lexicon)
    if (size === 0 || isDenied(view, at, lexicon, forbidden)) continue
    const [first, last] = [view.tokens[at]!, view.tokens[at + size - 1]!]
    const span = placeOf(view, { from: first.from, to: last.to })
    // Words of the lexicon alone: what stands between them is the caller's.
    const evidence =
      size > 2 ? `${first.word} ... ${last.word}` : first === last ? first.word : `${first.word} ${last.word}`
    found.push({ span, evidence, view, from: at, to: at + size })
  }
  return found
}

/** How many words name a privilege here. */
function privilegeAt({ tokens }: ReadView, at: number, lexicon: StepLexicon): number {
  const phrase = lexicon.privileges.at(tokens, at)
  if (phrase) return tokens[at]!.word === 'root' && isOtherRoot(tokens, at) ? 0 : phrase.size
  const { word, sentence } = tokens[at]!
  const size = SUBJECTS.switching_off.has(word) ? 1 : isTurnedOff(tokens, at) ? 2 : 0
  if (size === 0) return 0
  for (let on = size; on <= CONTROL_REACH; on++) {
    const next = tokens[at + on]
    if (!next || next.sentence !== sentence || GRAMMAR.connectors.has(next.word)) return 0
    if (SUBJECTS.controls.has(next.word)) return on + 1
  }
  return 0
}

const isOtherRoot = (tokens: ReadView['tokens'], at: number): boolean =>
  SUBJECTS.root_before.has(tokens[at - 1]?.word ?? '') || SUBJECTS.root_after.has(tokens[at + 1]?.word ?? '')

const isTurnedOff = (tokens: ReadView['tokens'], at: number): boolean =>
  (tokens[at]!.word === 'turn' || tokens[at]!.word === 'switch') && tokens[at + 1]?.word === 'off'

/** "never use sudo" gives up a power and asks for none. */
function isDenied(view: ReadView, at: number, lexicon: StepLexicon, forbidden: ReadonlyMap<number, boolean>): boolean {
  const verb = view.tokens[at - 1]?.word === 'use' || view.tokens[at - 1]?.word === 'using' ? at - 1 : at
  const form = view.tokens[verb]!.word === 'using' ? 'ing' : 'base'
  return isForbidden({ tokens: view.tokens, lexicon, forbidden }, verb, { ...verbForm('', 'execute'), form })
}

function hasOtherEffect({ views }: Reading, privileges: readonly Privilege[]): boolean {
  return views.some((view) => {
    const own = new Set<number>()
    for (const { from, to, view: where } of privileges)
      if (where === view) for (let at = from; at < to; at++) own.add(at)
    return view.actions.some(({ use, kind, at }) => use === 'asked' && kind !== 'read' && !own.has(at))
  })
}

function means({ reading, active_tool_count, memory_pressure, mode_hint }: OperatorInput): ExpertFinding[] {
  const needing = reading.views.flatMap((view) =>
    view.actions
      .filter(({ use, kind }) => use === 'asked' && kind === 'execute')
      .map((action) => expertFinding('NO_TOOL', `${action.lemma} needs a tool`, null, placeOf(view, action))),
  )
  const pressed = memory_pressure !== null && !isLess(memory_pressure, GUARD)
  const steered = pressed && mode_hint !== 'auto' && mode_hint !== 'kda_local'
  return [
    ...(active_tool_count === 0 ? [...needing, ...toolsNamed(reading.plain)] : []),
    ...(steered ? [expertFinding('MEMORY_PRESSURE', mode_hint, 'memory_pressure')] : []),
  ]
}

/** "use the browser tool": running something needs one as well; writing or sending may be the answer itself. */
const toolsNamed = (view: ReadView): ExpertFinding[] =>
  view.tokens
    .filter(({ word }, at) => (word === 'tool' || word === 'tools') && isUsed(view.tokens, at))
    .map((token) => expertFinding('NO_TOOL', 'a tool is named', null, placeOf(view, token)))

function isUsed(tokens: ReadView['tokens'], at: number): boolean {
  for (let back = at - 1; back >= 0 && at - back <= 4; back--)
    if (tokens[back]!.sentence !== tokens[at]!.sentence) return false
    else if (USING.has(tokens[back]!.word)) return true
  return false
}

const USING = new Set(['use', 'using', 'call', 'calling', 'with', 'invoke', 'run'])

/** What a reader should know and no verdict turns on. */
function notes({ context_tokens, remaining_quota }: OperatorInput): ExpertFinding[] {
  const isLow = remaining_quota !== null && remaining_quota < LOW_QUOTA
  return [
    ...(context_tokens > CONTEXT_LIMIT
      ? [expertFinding('CONTEXT_OVER_LIMIT', `${context_tokens} tokens`, 'context_load')]
      : []),
    ...(isLow ? [expertFinding('QUOTA_LOW', `${remaining_quota} steps left`)] : []),
  ]
}
