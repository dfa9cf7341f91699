/** A conversation turn by turn: what the verdict of one turn rests on came before it. */
import { distance } from 'fastest-levenshtein'
import { type LinearModel, worstWindow } from '../../../domain/gates/scorer/scorer.ts'
import { sessionTailAfter } from '../../../domain/text/session-text.ts'
import type { Gates } from '../../../governance/contract.ts'
import type { RunContext } from '../organ.ts'
import { type GuardAction, SCANNERS, screenText, worst } from '../text-screen.ts'
import type { JudgedTurn, Matched, Rails, Turn } from './shapes.ts'
import { TopicIndex, topicsOf } from './topics.ts'

/** Chosen with the sets that the tests print figures of all open: the figures are in-sample. The score from which a finding
 *  denies, and the risks from which a turn is reviewed and denied. */
const BARS = {
  default: { threshold: 0.5, review: 0.25, deny: 1 },
  strict: { threshold: 0.25, review: 0.15, deny: 0.5 },
}

const DECAY = 0.8
/** Units of the newest user turns that are read as one text: what is little evidence in each may be much together. */
const REACH = 400
/** So many of the newest turns are also read one by one: each sentence of an attack in pieces reads a little like one. */
const TURNS = 4
/** What turns weigh that together read like an attack: a little more than the finding that the gate makes of such a text,
 *  for nobody parts a text by chance. It fades below the bar of a review with the next turn. */
const LIKENESS = 0.3
/** Where likeness begins and where it is full, in the sum of two scores: of the turns as one text, and of the turns one by
 *  one in the mean. Ordinary talk in short turns lies below. */
const FLOOR = -1.55
const FULL = -1.45
/** A shorter turn is too little evidence either way: a question thrown in neither hides an attack nor makes one. */
const MIN_READ = 32
/** Of the shortest turns that are read, so many lie within reach. */
const MAX_RECENT = Math.ceil(REACH / MIN_READ)

const LOOP = 3
const NEAR = 0.9
const COMPARED = 512
/** Of a finding that is more than a note. */
const NOTED = 0.2

/** The scanners alone. */
export const PLAIN: Rails = { input: [...SCANNERS], output: [...SCANNERS], topics: {} }

interface Conversation {
  rails: Rails
  profile: keyof typeof BARS
  /** By turn, the patterns of the caller that matched. */
  matched: readonly Matched[]
  gates: Pick<Gates, 'examine' | 'rules'>
}

interface Fired {
  rail: string
  action: GuardAction
}

export async function judgeTurns(turns: readonly Turn[], conversation: Conversation, context: RunContext) {
  const memory = new Memory(conversation)
  const judged: JudgedTurn[] = []
  for (const [at, turn] of turns.entries()) {
    const begun = context.micros()
    judged.push(await memory.next(turn, conversation.matched[at] ?? []))
    context.reading(`turn_${at}`, context.micros() - begun, 'us', 'process.hrtime.bigint')
  }
  return { judged, path: memory.path, faults: [...memory.faults] }
}

class Memory {
  readonly path: string[]
  readonly faults = new Set<string>()
  readonly #conversation: Conversation
  readonly #topics: TopicIndex
  readonly #said: Record<Turn['role'], string[]> = { user: [], assistant: [] }
  readonly #tails: Record<Turn['role'], string> = { user: '', assistant: '' }
  /** The newest user turns as far as they are read together, each with its own score. */
  #recent: { text: string; score: number }[] = []
  #risk = 0
  #state: string | null

  constructor(conversation: Conversation) {
    this.#conversation = conversation
    const table = conversation.gates.rules()?.confusables ?? null
    this.#topics = new TopicIndex(topicsOf(conversation.rails), table)
    this.#state = conversation.rails.dialog?.initial ?? null
    this.path = this.#state === null ? [] : [this.#state]
  }

  async next(turn: Turn, matched: Matched): Promise<JudgedTurn> {
    const { intent, score, touched } = this.#topics.intentOf(turn.text)
    const scanned = await this.#scan(turn)
    // What a user does is what adds up: an answer of the assistant neither adds to the risk nor lets it fade.
    const added =
      turn.role === 'user' ? Math.max(scanned.score, LIKENESS * this.#likeness(turn.text, scanned.score)) : 0
    if (turn.role === 'user') this.#risk = DECAY * this.#risk + added
    const fired = [
      ...scanned.fired,
      ...matched.map(({ id, action }) => ({ rail: `pattern:${id}`, action })),
      ...this.#topic(turn, intent, touched),
      ...this.#move(turn, intent),
      ...this.#loop(turn),
      ...this.#weigh(turn),
    ]
    return {
      action: fired.map(({ action }) => action).reduce(worst, 'allow'),
      rails: [...new Set(fired.map(({ rail }) => rail))],
      ...{ intent, score, state: this.#state, added, risk: this.#risk },
    }
  }

  async #scan({ role, text }: Turn): Promise<{ fired: Fired[]; score: number }> {
    const { gates, rails, profile } = this.#conversation
    const [direction, origin] = role === 'user' ? (['input', 'user'] as const) : (['output', 'model'] as const)
    const scanners = (rails[direction] ?? []).filter((rail) => typeof rail === 'string')
    const options = { scanners, threshold: BARS[profile].threshold, origin, sessionTail: this.#tails[role] }
    const { action, findings, faults, examination } = await screenText(gates, text, direction, options)
    for (const fault of faults) this.faults.add(fault)
    this.#tails[role] = sessionTailAfter(this.#tails[role], examination?.folded ?? '')
    const grave = findings.filter((finding) => finding.score >= NOTED).slice(0, 8)
    const names = [
      ...grave.map(({ scanner, rule }) => `${scanner}:${rule}`),
      ...(faults.length > 0 ? ['gate-fault'] : []),
    ]
    const fired = (names.length > 0 ? names : ['scanners']).map((rail) => ({ rail, action }))
    return {
      fired: action === 'allow' ? [] : fired,
      score: Math.max(0, ...findings.map((finding) => finding.score)),
    }
  }

  #topic({ role }: Turn, intent: string | null, touched: readonly string[]): Fired[] {
    const { allow = [], deny = [] } = this.#conversation.rails.topics ?? {}
    const denied = deny.filter(({ name }) => touched.includes(name))
    if (denied.length > 0) return denied.map(({ name }) => ({ rail: `topic:${name}`, action: 'deny' }))
    const isOff = role === 'user' && allow.length > 0 && !allow.some(({ name }) => name === intent)
    return isOff ? [{ rail: 'off-topic', action: 'review' }] : []
  }

  /** A turn that the machine does not know leaves it where it is, for a person to look at. */
  #move({ role }: Turn, intent: string | null): Fired[] {
    const { dialog } = this.#conversation.rails
    if (dialog === undefined || role !== 'user') return []
    const leaving = dialog.transitions.filter(({ from }) => from === this.#state)
    const taken = leaving.find(({ on }) => on === intent) ?? leaving.find(({ on }) => on === '*')
    if (taken === undefined) return [{ rail: `dialog:${this.#state}`, action: 'review' }]
    this.#state = taken.to
    this.path.push(taken.to)
    return []
  }

  #loop({ role, text }: Turn): Fired[] {
    const own = text.trim().toLowerCase().slice(0, COMPARED)
    const near = this.#said[role].filter((other) => isNear(own, other)).length
    this.#said[role].push(own)
    return near >= LOOP - 1 ? [{ rail: 'loop', action: 'review' }] : []
  }

  #weigh({ role }: Turn): Fired[] {
    const { review, deny } = BARS[this.#conversation.profile]
    if (role !== 'user' || this.#risk < review) return []
    return [{ rail: 'risk', action: this.#risk >= deny ? 'deny' : 'review' }]
  }

  /** 0 to 1: how much the newest user turns read like a jailbreak, by the learned scorer of the gates. One turn is what the
   *  gate has read already, and what it has found counts once. */
  #likeness(text: string, found: number): number {
    const scorer = this.#conversation.gates.rules()?.scorer ?? null
    if (scorer === null || found >= NOTED || text.length < MIN_READ) return 0
    const scoreOf = (read: string, model: LinearModel): number => worstWindow(read, model, scorer.block).score
    const lower = text.toLowerCase().slice(-REACH)
    this.#recent.push({ text: lower, score: Math.max(scoreOf(lower, scorer.short), scoreOf(lower, scorer.long)) })
    if (this.#recent.length > MAX_RECENT) this.#recent.shift()
    if (this.#recent.length === 1) return 0
    const together = this.#recent.map((turn) => turn.text).join('\n')
    const newest = this.#recent.slice(-TURNS)
    const mean = newest.reduce((sum, { score }) => sum + score, 0) / newest.length
    return share((scoreOf(together.slice(-REACH), scorer.short) + mean - FLOOR) / (FULL - FLOOR))
  }
}

const share = (value: number): number => Math.min(1, Math.max(0, value))

const isNear = (one: string, other: string): boolean => {
  const length = Math.max(one.length, other.length)
  if (length === 0 || Math.min(one.length, other.length) < NEAR * length) return length === 0
  return 1 - distance(one, other) / length >= NEAR
}
