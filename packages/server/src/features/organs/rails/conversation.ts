/** A conversation turn by turn: what the verdict of one turn rests on came before it. */
import { distance } from 'fastest-levenshtein'
import { worstWindow } from '../../../domain/gates/scorer/scorer.ts'
import { sessionTailAfter } from '../../../domain/text/session-text.ts'
import type { Gates } from '../../../governance/contract.ts'
import { type GuardAction, SCANNERS, type Scanner, screenText, worst } from '../guard/screen.ts'
import type { RunContext } from '../organ.ts'
import { topicsOf } from './lint.ts'
import type { PatternRail } from './patterns.ts'
import type { JudgedTurn, Rail, Rails, Turn } from './shapes.ts'
import { TopicIndex } from './topics.ts'

type Profile = 'default' | 'strict'
interface Bars {
  /** The score from which a finding denies. */
  threshold: number
  /** The risk from which a turn is reviewed, and denied. */
  review: number
  deny: number
}
/** Chosen on conversations of XSTest's safe prompts and of jailbreaks cut into sentences; the tests print the figures. */
const BARS: Record<Profile, Bars> = {
  default: { threshold: 0.5, review: 0.25, deny: 1 },
  strict: { threshold: 0.25, review: 0.15, deny: 0.5 },
}

const DECAY = 0.8
/** Units of the newest user turns that are read as one text: what is little evidence in each may be much together. */
const REACH = 300
/** What a text exactly at the scorer's threshold weighs: as much as the finding that the gate then makes. */
const LIKENESS = 0.25
/** Where likeness begins, below the threshold of the scorer: XSTest's safe prompts lie below -1. */
const FLOOR = -0.6

const LOOP = 3
const NEAR = 0.9
const COMPARED = 512

/** The scanners alone. */
export const PLAIN: Rails = { input: [...SCANNERS], output: [...SCANNERS], topics: {} }

export const isPattern = (rail: Rail): rail is PatternRail => typeof rail !== 'string'
const scannersOf = (rails: readonly Rail[] = []): Scanner[] =>
  rails.filter((rail): rail is Scanner => typeof rail === 'string')

interface Conversation {
  rails: Rails
  profile: Profile
  /** By turn, the patterns of the caller that matched. */
  matched: readonly Pick<PatternRail, 'id' | 'action'>[][]
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
  readonly #bars: Bars
  readonly #topics: TopicIndex
  readonly #said: Record<Turn['role'], string[]> = { user: [], assistant: [] }
  readonly #tails: Record<Turn['role'], string> = { user: '', assistant: '' }
  #joined = ''
  #risk = 0
  #state: string | null

  constructor(conversation: Conversation) {
    this.#conversation = conversation
    this.#bars = BARS[conversation.profile]
    this.#topics = new TopicIndex(topicsOf(conversation.rails))
    this.#state = conversation.rails.dialog?.initial ?? null
    this.path = this.#state === null ? [] : [this.#state]
  }

  async next(turn: Turn, matched: Conversation['matched'][number]): Promise<JudgedTurn> {
    const { intent, score } = this.#topics.intentOf(turn.text)
    const scanned = await this.#scan(turn)
    const fired = [
      ...scanned.fired,
      ...matched.map(({ id, action }) => ({ rail: `pattern:${id}`, action })),
      ...this.#topic(turn, intent),
      ...this.#move(turn, intent),
      ...this.#loop(turn),
      ...this.#weigh(turn, scanned.score),
    ]
    return {
      action: fired.map(({ action }) => action).reduce(worst, 'allow'),
      rails: [...new Set(fired.map(({ rail }) => rail))],
      intent,
      score,
      state: this.#state,
      added: turn.role === 'user' ? this.#added : 0,
      risk: this.#risk,
    }
  }

  #added = 0

  async #scan({ role, text }: Turn): Promise<{ fired: Fired[]; score: number }> {
    const { gates, rails } = this.#conversation
    const scanners = scannersOf(role === 'user' ? rails.input : rails.output)
    const [direction, origin] = role === 'user' ? (['input', 'user'] as const) : (['output', 'model'] as const)
    const options = { scanners, threshold: this.#bars.threshold, origin, sessionTail: this.#tails[role] }
    const { action, findings, faults, examination } = await screenText(gates, text, direction, options)
    for (const fault of faults) this.faults.add(fault)
    this.#tails[role] = sessionTailAfter(this.#tails[role], examination?.folded ?? '')
    const grave = findings.filter(({ score }) => score >= NOTED)
    const names = [
      ...grave.slice(0, 8).map(({ scanner, rule }) => `${scanner}:${rule}`),
      ...(faults.length > 0 ? ['gate-fault'] : []),
    ]
    const fired = (names.length > 0 ? names : ['scanners']).map((rail) => ({ rail, action }))
    return { fired: action === 'allow' ? [] : fired, score: Math.max(0, ...findings.map(({ score }) => score)) }
  }

  #topic({ role }: Turn, intent: string | null): Fired[] {
    const { allow = [], deny = [] } = this.#conversation.rails.topics ?? {}
    if (deny.some(({ name }) => name === intent)) return [{ rail: `topic:${intent}`, action: 'deny' }]
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
    const before = this.#said[role]
    const near = before.filter((other) => isNear(own, other)).length
    before.push(own)
    return near >= LOOP - 1 ? [{ rail: 'loop', action: 'review' }] : []
  }

  /** What a user does is what adds up: an answer of the assistant neither adds to the risk nor lets it fade. */
  #weigh({ role, text }: Turn, found: number): Fired[] {
    if (role !== 'user') return []
    this.#joined = `${this.#joined}\n${text.toLowerCase()}`.slice(-REACH)
    this.#added = Math.max(found, LIKENESS * this.#likeness())
    this.#risk = DECAY * this.#risk + this.#added
    const { review, deny } = this.#bars
    if (this.#risk < review) return []
    return [{ rail: 'risk', action: this.#risk >= deny ? 'deny' : 'review' }]
  }

  /** 0 to 1: how much like a jailbreak the newest user turns read, by the learned scorer of the gates. */
  #likeness(): number {
    const scorer = this.#conversation.gates.rules()?.scorer ?? null
    if (scorer === null) return 0
    const { score } = worstWindow(this.#joined, scorer)
    return Math.min(1, Math.max(0, (score - FLOOR) / (scorer.threshold - FLOOR)))
  }
}

/** Of a finding that is more than a note. */
const NOTED = 0.2

const isNear = (one: string, other: string): boolean => {
  const length = Math.max(one.length, other.length)
  if (length === 0 || Math.min(one.length, other.length) < NEAR * length) return length === 0
  return 1 - distance(one, other) / length >= NEAR
}
