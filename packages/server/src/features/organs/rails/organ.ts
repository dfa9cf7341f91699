/** N23 Rails: whether a whole conversation stays on track, and not just one line of it. */
import { InputError } from '../../../errors.ts'
import type { Gates } from '../../../governance/contract.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, op, type RunContext } from '../organ.ts'
import { REVIEW_NOT_QUEUED, reviewRef } from '../review-ref.ts'
import type { Limit } from '../schemas.ts'
import { faultRemarks, STATUS_OF, worst } from '../text-screen.ts'
import { judgeTurns, PLAIN } from './conversation.ts'
import example from './example.json' with { type: 'json' }
import { lintRails, railFaults } from './lint.ts'
import type { PatternSearch, PatternsFound } from './patterns.ts'
import { readingsOf } from './readings.ts'
import * as shapes from './shapes.ts'
import { topicsOf } from './topics.ts'

const SCOPE: Limit = {
  code: 'WORDS_ONLY',
  detail: 'rules, word statistics and a small learned scorer: a paraphrase that they do not know passes',
}
const MAX_LINT = 100
const bounds = { deadlineMs: 2000, maxWork: 4_000_000 }
const MAX_TURN = 4096

interface Needs {
  gates: Pick<Gates, 'examine' | 'rules'>
  compute: Pick<Compute, 'register'>
}

export const rails = ({ gates, compute }: Needs): Organ => {
  const patternJob = compute.register<PatternSearch, PatternsFound>({
    name: 'organ-n23-patterns',
    module: new URL('./patterns.ts', import.meta.url),
    function: 'findPatterns',
    deadlineMs: bounds.deadlineMs,
  })

  /** Throws where a pattern is not supported. */
  async function matchPatterns(asked: shapes.Rails, turns: shapes.Turn[], context: RunContext) {
    const patterns = (['input', 'output'] as const).flatMap((list) =>
      (asked[list] ?? []).flatMap((rail) => (typeof rail === 'string' ? [] : [{ ...rail, list }])),
    )
    if (patterns.length === 0) return []
    const table = gates.rules()?.confusables ?? null
    const read = turns.map(({ role, text }) => ({ role, texts: readingsOf(text, table) }))
    const found = await context.job(patternJob, { patterns, turns: read })
    if ('matched' in found) return found.matched
    const { list, message } = found.fault
    throw new InputError([{ loc: ['body', 'rails', list], msg: message, type: 'unsupported_regex' }])
  }

  return {
    id: 'N23',
    version: '1.2.0',
    dependsOn: ['N3', 'N9'],
    ops: {
      check: op({
        summary: 'Each turn of a conversation, its topic, the state it leads to and the risk that has added up',
        request: shapes.CheckRequest,
        result: shapes.CheckResult,
        isolation: 'inline, long turns in a gate thread, patterns of the request in a worker',
        ...bounds,
        estimate: ({ turns, rails: asked = PLAIN }) =>
          turns.reduce((sum, { text }) => sum + text.length, 0) * railCount(asked),
        check: ({ rails: asked }) => (asked === undefined ? [] : railFaults(asked)),
        async run({ turns, profile = 'default', rails: asked = PLAIN }, context) {
          const matched = await matchPatterns(asked, turns, context)
          const conversation = { rails: asked, profile, matched, gates }
          const { judged, path, faults } = await judgeTurns(turns, conversation, context)
          const action = judged.map((turn) => turn.action).reduce(worst, 'allow')
          const result = {
            action,
            turns: judged,
            path,
            lint: lintRails(asked).slice(0, MAX_LINT),
            ...(action === 'review' ? { review_ref: reviewRef('N23', context) } : {}),
          }
          const { limits, ...rest } = faultRemarks(faults)
          const reviewLimits = action === 'review' ? [REVIEW_NOT_QUEUED] : []
          return { status: STATUS_OF[action], result, limits: [SCOPE, ...reviewLimits, ...limits], ...rest }
        },
      }),
      lint: op({
        summary: 'Unreachable states, dead ends, ambiguous transitions and overlapping topics of rails',
        request: shapes.LintRequest,
        result: shapes.LintResult,
        isolation: 'inline, patterns of the request in a worker',
        ...bounds,
        estimate: ({ rails: asked }) => railCount(asked),
        check: ({ rails: asked }) => railFaults(asked),
        async run({ rails: asked }, context) {
          await matchPatterns(asked, [], context)
          const lint = context.timed('lint', () => lintRails(asked))
          const cut = lint.length > MAX_LINT ? { truncated_from: lint.length } : {}
          return { result: { lint: lint.slice(0, MAX_LINT), ...cut } }
        },
      }),
    },
    fromPrompt: (prompt) => ({ op: 'check', turns: userTurns(prompt) }),
    example,
    evidence: {},
  }
}

/** One turn; a prompt that is too long for one is as many as it takes, none of which parts a pair of surrogates. */
const userTurns = (prompt: string): shapes.Turn[] =>
  (prompt.length <= MAX_TURN ? [prompt] : prompt.match(/[\s\S]{1,2048}/gu)!).map((text) => ({ role: 'user', text }))

const railCount = (asked: shapes.Rails): number =>
  Math.max(1, (asked.input ?? []).length + (asked.output ?? []).length + topicsOf(asked).length)
