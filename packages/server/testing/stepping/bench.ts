/** A step as the tests assess it: no history, no tools, policies that allow, unless a test says otherwise. */
import { sha256Hex } from '@orch/core'
import { type Examination, examineText } from '../../src/domain/decision/examine.ts'
import type { Rules } from '../../src/domain/gates/rules.ts'
import { stepLexicon } from '../../src/features/stepping/experts/lexicon.ts'
import { type Prepared, prepare, type Words } from '../../src/features/stepping/experts/prepared.ts'
import {
  type Assessment,
  type AssessmentInput,
  assess,
  type StepRequest,
} from '../../src/features/stepping/rules/assessment.ts'
import type { RememberedStep } from '../../src/features/stepping/rules/history.ts'

export const hash = (text: string): string => sha256Hex(`a test key ${text}`).slice(0, 16)

export interface StepBench {
  words: Words
  prepare(text: string): Prepared
  examine(text: string): Examination
  assess(text: string, request?: Partial<StepRequest>, given?: Partial<AssessmentInput>): Assessment
  remember(text: string, step: number, verdict?: RememberedStep['verdict']): RememberedStep
}

export function stepBench(rules: Rules): StepBench {
  const words: Words = { table: rules.confusables, lexicon: stepLexicon(rules.confusables), hash }
  const examine = (text: string): Examination =>
    examineText({
      text,
      direction: 'input',
      origin: 'user',
      effect: 'none',
      declared: 'PUBLIC',
      rules,
      deadlineMs: Number.POSITIVE_INFINITY,
      now: () => 0,
    })
  return {
    words,
    examine,
    prepare: (text) => prepare(text, words),
    assess: (text, request = {}, given = {}) =>
      assess({
        request: { ...PLAIN, ...request },
        prepared: prepare(text, words),
        words,
        examination: examine(text),
        policy: { verdict: 'allow', reasons: [] },
        history: [],
        ledger: { receipts: new Map(), sessions: new Set() },
        remaining_quota: null,
        now: () => 0,
        ...given,
      }),
    remember: (text, step, verdict = 'allow') => {
      const { shingles, words: short, marks } = prepare(text, words)
      const digest = (what: string): string => sha256Hex(`${what} ${step}`)
      return {
        step,
        verdict,
        receipt_digest: digest('receipt'),
        state_hash: digest('state'),
        request_digest: digest('request'),
        shingles,
        words: short,
        ...marks,
      }
    },
  }
}

const PLAIN: StepRequest = {
  session_id: 'session',
  allowed_experts: [],
  mode_hint: 'auto',
  novelty: null,
  disagreement: null,
  context_tokens: 0,
  active_tool_count: 0,
  memory_pressure: null,
}
