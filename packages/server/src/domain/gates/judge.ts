/** From hits to findings: what counts as a mention, what was hidden, what adds up, and how grave each is here. */
import { FINDING_WEIGHTS } from '@orch/core'
import { firstPlace } from '../text/mapped-text.ts'
import { LEARNED } from './detectors/table.ts'
import { type Direction, type Effect, type Finding, masked, type Severity } from './finding.ts'
import type { Rule, Rules } from './rules.ts'
import { type Hit, isHeard } from './scan.ts'

interface Circumstances {
  direction: Direction
  effect: Effect
}

export interface Judged extends Hit {
  severity: Severity
}

export function judge(hits: readonly Hit[], rules: Rules, circumstances: Circumstances): Judged[] {
  if (hits.length === 0) return []
  const [scored, ruled] = [hits.filter(isScored), hits.filter((hit) => !isScored(hit))]
  const judged = judgeRuled(ruled, rules, circumstances)
  if (judged.some(isThreat)) return judged
  const explained = judged.some(({ rule, explained, severity }) => rule.mentionable && explained && severity === 'note')
  const heard = explained ? scored.filter(isHeard) : scored
  return [...judged, ...heard.map((hit) => withRuleSeverity(hit, circumstances.direction))]
}

const isScored = ({ rule }: Hit): boolean => rule.detector === LEARNED
const isThreat = ({ rule, severity }: Judged): boolean => rule.gate === 'threat-signature-scan' && severity !== 'note'

/** A score speaks where the rules are silent. It carries nothing, hides nothing and makes no other finding graver. */
const withRuleSeverity = (hit: Hit, direction: Direction): Judged => ({
  ...hit,
  severity: hit.rule.severity[direction],
})

function judgeRuled(hits: readonly Hit[], rules: Rules, circumstances: Circumstances): Judged[] {
  const { direction } = circumstances
  const first = withoutFalseTelephones(hits).map(
    (hit): Judged => ({ ...hit, severity: lighter(hit.severity, hit.rule.severity[direction]) }),
  )
  const contacts = derivedFrom(rules, 'bulk-contacts', direction, bulk(first))
  const carriers = derivedFrom(rules, 'hidden-carrier', direction, first.filter(isCarried))
  const added = [...first, ...contacts, ...carriers]
  const alone = added.every((hit) => isMention(hit) || hit.severity === 'note')
  return added.map((hit) => {
    if (isMention(hit)) return { ...hit, severity: mentioned(hit, alone, circumstances) }
    return isShown(hit, circumstances) ? { ...hit, severity: 'note' } : hit
  })
}

/** Documentation shows markup as code, and code is not rendered: of what was retrieved, and where nothing hides it. */
const isShown = ({ rule, code, hidden, origin }: Judged, { direction }: Circumstances): boolean =>
  rule.noted_in_code && code && !hidden && origin === 'retrieved' && direction === 'input'

/** Of the values that begin before a telephone number ends, so many at most can reach into it. */
const MAX_COMPARED = 16

/** The digits of a card or an account are not a telephone number as well. */
function withoutFalseTelephones(hits: readonly Hit[]): readonly Hit[] {
  const numbers = hits.filter(({ rule }) => rule.gate === 'pii-egress-guard' && rule.detector !== 'telephone')
  const byPointer = Map.groupBy(numbers, ({ pointer }) => pointer)
  for (const own of byPointer.values()) own.sort((one, other) => one.start - other.start)
  const isPartOf = (hit: Hit, { end, value }: Hit): boolean =>
    hit.start < end && (value.includes(hit.value) || hit.value.includes(value))
  return hits.filter((hit) => {
    if (hit.rule.detector !== 'telephone') return true
    const own = byPointer.get(hit.pointer) ?? []
    const behind = firstPlace(own.length, (at) => own[at]!.start >= hit.end)
    return !own.slice(Math.max(0, behind - MAX_COMPARED), behind).some((number) => isPartOf(hit, number))
  })
}

/** A failed checksum or a specimen makes a finding lighter than its rule; nothing makes it graver. */
function lighter(own: Hit['severity'], rule: Severity): Severity {
  if (own === 'note' || rule === 'note') return 'note'
  return own === 'hold' ? 'hold' : rule
}

/** Hidden words are never taken as a mention: nobody hides what he merely talks about. */
const isMention = (hit: Judged): boolean => hit.rule.mentionable && hit.quoted && !hit.hidden

/** A command that is explained is not ordered, whoever wrote it, and nothing that only reads runs it. Words that steer an
 *  assistant are orders in any text but those of the user and of the operator, whose system prompt says what to refuse. */
function mentioned(hit: Judged, alone: boolean, { effect }: Circumstances): Severity {
  if (hit.severity === 'note') return 'note'
  const isTrusted = hit.origin === 'user' || hit.origin === 'system'
  const isCommand = hit.rule.detector !== null
  const idle = effect === 'none' || (isCommand && effect === 'read')
  return hit.explained && alone && idle && (isCommand || isTrusted) ? 'note' : 'hold'
}

const isCarried = (hit: Judged): boolean =>
  hit.hidden && hit.rule.gate === 'threat-signature-scan' && hit.severity !== 'note'

const MIN_CONTACTS = 3
const CONTACTS = ['P05', 'P06']

/** The third distinct address or number is where the list begins. */
function bulk(hits: readonly Judged[]): Judged[] {
  const contacts = hits.filter(({ rule }) => CONTACTS.includes(rule.id))
  const distinct = new Set<string>()
  for (const { rule, value } of contacts) {
    distinct.add(`${rule.id} ${value}`)
    if (distinct.size >= MIN_CONTACTS) return contacts.slice(-1)
  }
  return []
}

/** One derived finding for each place, with the rule that derives it. The canonical view repairs what may have been meant so:
 *  what is doubtful there carries no more than doubt. */
function derivedFrom(rules: Rules, detector: string, direction: Direction, causes: readonly Judged[]): Judged[] {
  const rule = rules.rules.find((candidate) => candidate.detector === detector)
  if (!rule) return []
  const places = new Map(causes.map((cause) => [`${cause.pointer} ${cause.start} ${cause.end} ${cause.path}`, cause]))
  return [...places.values()].map((cause) => ({
    ...cause,
    rule,
    severity: cause.view === 'canonical' ? lighter(cause.severity, rule.severity[direction]) : rule.severity[direction],
    effect: null,
    quoted: false,
    code: false,
    explained: false,
  }))
}

const COMMAND_EFFECTS = ['destructive', 'external'] as const

/** The gravest effect of a command that is more than mentioned. */
export const shownEffect = (judged: readonly Judged[]): Effect =>
  COMMAND_EFFECTS.find((effect) => judged.some((hit) => hit.effect === effect && hit.severity !== 'note')) ?? 'none'

export function findingOf({ rule, severity, view, path, pointer, start, end, value, explanation }: Judged): Finding {
  return {
    gate: rule.gate,
    rule: rule.id,
    rule_version: rule.version,
    severity,
    score: scoreOf(rule, severity),
    view,
    path,
    pointer,
    start,
    end,
    sample_masked: masked(value, rule.kind),
    validator: rule.validator,
    ...(explanation === null ? {} : { explanation }),
  }
}

const scoreOf = (rule: Rule, severity: Severity): number => FINDING_WEIGHTS[rule.gate][severity] / 100
