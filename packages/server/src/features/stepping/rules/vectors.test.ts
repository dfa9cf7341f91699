import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { hash, stepBench } from '#testing/stepping/bench.ts'
import type { Reason, Verdict } from '../../../domain/decision/verdict.ts'
import { loadRules } from '../../../domain/gates/rules.ts'
import { foldedOf, plainOf } from '../../../domain/text/fold.ts'
import { rawText } from '../../../domain/text/mapped-text.ts'
import { measureDisagreement } from '../experts/expert.ts'
import { hashShingles, measureNovelty } from '../experts/novelty.ts'
import { decideStep } from './decision.ts'
import { backoffMs } from './effect-transitions.ts'
import { deriveEffects } from './effects.ts'
import { type ComponentId, computeEstimate } from './estimate.ts'
import { headsRoot } from './integrity.ts'
import { exactly, fromMicro } from './millionths.ts'
import { chooseRoute, type Mode } from './mode.ts'
import { type StateRecord, sessionName, stateHash } from './state.ts'

interface EstimateCase {
  case: string
  intensities: Partial<Record<ComponentId, number>>
  estimate: number
  budget: number
  spent: number
  headroom: number
  stage?: [Verdict, Reason]
  decision: Verdict
  first: string
}

interface TextCase {
  text: string
  actions: string[]
  codes?: string[]
  includes?: string[]
  estimate?: number
  verdicts?: string
}

const vectors = JSON.parse(readFileSync(new URL('../../../../../../vectors/stepping.json', import.meta.url), 'utf8'))
const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../rules/${name}`, import.meta.url), 'utf8'))
const bench = stepBench(
  loadRules({ gates: read('gates.json'), confusables: read('confusables.json'), scorer: read('threat-scorer.json') }),
)

/** The gates have vectors of their own: here they found nothing. */
const CLEAN = bench.examine('a')

test('verdict counts give the published disagreement', () => {
  for (const [[pass, caution, block], expected] of vectors.disagreement as [[number, number, number], number][]) {
    const verdicts = [
      ...Array(pass).fill('pass'),
      ...Array(caution).fill('caution'),
      ...Array(block).fill('block'),
      'abstain',
    ]
    assert.equal(measureDisagreement(verdicts), expected, `${pass}/${caution}/${block}`)
  }
})

test('texts give the published novelty', () => {
  const shingles = (text: string) => hashShingles(foldedOf(plainOf(rawText(text))).text, hash)
  for (const [text, earlier, expected] of vectors.novelty as [string, string[], number][])
    assert.equal(measureNovelty(shingles(text), earlier.map(shingles)), expected, `${text} against ${earlier}`)
})

for (const given of vectors.estimates as EstimateCase[])
  test(`${given.case}: estimate ${given.estimate}, ${given.decision}`, () => {
    const intensities = Object.fromEntries(
      Object.entries(given.intensities).map(([id, micro]) => [id, fromMicro(micro)]),
    )
    const { micro, components } = computeEstimate(intensities)
    assert.equal(micro, given.estimate)
    assert.equal(components.length, 17)
    const [verdict, reason] = given.stage ?? ['allow' as const, null]
    const decided = decideStep({
      stages: [{ id: 'threat-signature-scan', verdict, reasons: reason ? [reason] : [] }],
      estimate: micro,
      session: { budget: given.budget, granted: 0, spent: given.spent },
      expertUnavailable: false,
      unknownExperts: [],
      mandatoryBlock: false,
      dayRemaining: null,
      approval: null,
    })
    assert.equal(decided.headroom, given.headroom)
    assert.equal(decided.decision, given.decision)
    assert.equal(decided.reason_codes[0], given.first)
    assert.equal(decided.charge, given.decision === 'allow' ? micro : 0)
  })

test('the mode follows its table, score and probabilities to the last digit', () => {
  type Row = [[number, number, number, number, number, number], number, Mode, [number, number, number]]
  for (const [
    [novelty, disagreement, risk, tokens, tools, mem],
    score,
    mode,
    [local, hybrid, global],
  ] of vectors.modes as Row[]) {
    const routing = chooseRoute({
      hint: 'auto',
      novelty: exactly(novelty),
      disagreement: exactly(disagreement),
      risk,
      tokens,
      active_tool_count: tools,
      memory_pressure: exactly(mem),
    })
    assert.equal(routing.score, score)
    assert.equal(routing.mode, mode)
    assert.deepEqual(routing.probabilities, { kda_local: local, laguna_hybrid: hybrid, mla_global: global })
    assert.equal(routing.reason === 'memory_pressure_guard', mem >= 0.85)
  }
})

test('an explicit hint is taken, without a score, and the guard it overrules is told', () => {
  const routing = chooseRoute({
    hint: 'mla_global',
    novelty: exactly(0),
    disagreement: exactly(0),
    risk: 0,
    tokens: 0,
    active_tool_count: 0,
    memory_pressure: exactly(0.85),
  })
  assert.deepEqual(routing, {
    mode: 'mla_global',
    score: null,
    probabilities: { kda_local: 0, laguna_hybrid: 0, mla_global: 1_000_000 },
    reason: 'explicit_hint',
    guard_would_apply: true,
  })
})

test('states, effects, session names and heads have the digests another language gives', () => {
  const { record, state_hash, receipt_digest, effects, session_name, heads, heads_root, empty_root } = vectors.state
  const state = record as StateRecord
  assert.equal(stateHash(state), state_hash)
  const found = deriveEffects(state, receipt_digest, null).map(({ kind, payload_sha256, effect_id }) => ({
    kind,
    payload_sha256,
    effect_id,
  }))
  assert.deepEqual(found, effects)
  assert.equal(sessionName(state.namespace, state.owner_id, state.session_id), session_name)
  assert.deepEqual(headsRoot([...heads].reverse()), { root: heads_root, leaves: 2 })
  assert.deepEqual(headsRoot([]), { root: empty_root, leaves: 0 })
})

test('failures wait 5, 10, 20 ... 320 seconds', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(backoffMs), vectors.backoff_ms)
})

for (const given of vectors.texts as TextCase[])
  test(`what is asked in ${JSON.stringify(given.text)}`, () => {
    const { reading } = bench.prepare(given.text)
    assert.ok(reading)
    if (given.includes === undefined)
      assert.deepEqual(
        reading.plain.actions.map(({ use, kind }) => `${use} ${kind}`),
        given.actions,
      )
    const { experts, estimate } = bench.assess(given.text, {}, { examination: CLEAN })
    const codes = new Set(experts.flatMap(({ findings }) => findings.map(({ code }) => code)))
    if (given.codes) assert.deepEqual([...codes].sort(), [...given.codes].sort())
    for (const code of given.includes ?? []) assert.ok(codes.has(code), `${code} among ${[...codes]}`)
    if (given.estimate !== undefined) assert.equal(estimate.micro, given.estimate)
    if (given.verdicts) assert.equal(experts.map(({ verdict }) => verdict).join(' '), given.verdicts)
  })
