/** What N23 is asked and what it answers. */
import Type, { type Static } from 'typebox'
import { Verdict } from '../../../domain/decision/wire.ts'
import { Count, closed, exactly, Text, Texts, words } from '../../../domain/wire.ts'
import { ReviewRef } from '../review-ref.ts'
import { SCANNERS } from '../text-screen.ts'

const Name = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' })

const PatternRail = closed({
  id: Name,
  pattern: Type.String({ minLength: 1, maxLength: 256 }),
  action: words(['review', 'deny']),
})
export type PatternRail = Static<typeof PatternRail>
/** The patterns that a turn matched. */
export type Matched = Pick<PatternRail, 'id' | 'action'>[]
const Rail = Type.Union([words(SCANNERS), PatternRail])
const Rail16 = Type.Array(Rail, { maxItems: 16 })
const Topic = closed({
  name: Name,
  examples: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 10 }),
})
const Topics = Type.Array(Topic, { maxItems: 16, default: [] })
const Dialog = closed({
  initial: Name,
  states: Type.Array(Name, { minItems: 1, maxItems: 64 }),
  /** States in which a conversation may end. */
  final: Type.Optional(Type.Array(Name, { maxItems: 64, default: [] })),
  transitions: Type.Array(
    closed({
      from: Name,
      to: Name,
      on: Type.String({ pattern: '^([A-Za-z0-9_.-]{1,64}|\\*)$', description: 'a topic, or * for any turn' }),
    }),
    { maxItems: 256 },
  ),
})
const Rails = closed({
  input: Type.Optional({ ...Rail16, default: [...SCANNERS] }),
  output: Type.Optional({ ...Rail16, default: [...SCANNERS] }),
  topics: Type.Optional(
    Type.Object({ allow: Type.Optional(Topics), deny: Type.Optional(Topics) }, { ...exactly, default: {} }),
  ),
  dialog: Type.Optional(Dialog),
})
export type Rails = Static<typeof Rails>
export type Topic = Static<typeof Topic>
export type Dialog = Static<typeof Dialog>

const Turn = closed({ role: words(['user', 'assistant']), text: Type.String({ maxLength: 4096 }) })
export type Turn = Static<typeof Turn>
export const CheckRequest = closed({
  turns: Type.Array(Turn, { minItems: 1, maxItems: 64 }),
  profile: Type.Optional(Type.Enum(['default', 'strict'], { default: 'default' })),
  rails: Type.Optional(Rails),
})
export const LintRequest = closed({ rails: Rails })

const LintFinding = closed({
  code: words(['UNREACHABLE_STATE', 'DEAD_END', 'AMBIGUOUS_TRANSITION', 'OVERLAPPING_TOPICS']),
  names: Texts,
  detail: Type.String(),
})
export type LintFinding = Static<typeof LintFinding>
const Lint = Type.Array(LintFinding)
const JudgedTurn = closed({
  action: Verdict,
  rails: Texts,
  intent: Text,
  /** Of the intent, by BM25. */
  score: Type.Number(),
  state: Text,
  /** What this turn added, and what has added up so far. */
  added: Type.Number(),
  risk: Type.Number(),
})
export type JudgedTurn = Static<typeof JudgedTurn>
export const CheckResult = closed({
  action: Verdict,
  turns: Type.Array(JudgedTurn),
  path: Texts,
  lint: Lint,
  review_ref: Type.Optional(ReviewRef),
})
export const LintResult = closed({ lint: Lint, truncated_from: Type.Optional(Count) })
