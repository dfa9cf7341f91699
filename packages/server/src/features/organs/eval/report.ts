/** From what each assertion came to, to the answer. */
import { wilson } from '../../../domain/wilson.ts'
import type { Random } from '../random.ts'
import type { AssertOutcome } from './asserts.ts'
import { type Delta, type Gate, judge, mcnemar, pairedBootstrap, type Verdict } from './statistics.ts'

const MAX_FAILURES = 50
const MAX_ASSERTS = 400

export interface CaseOutcome {
  id: string
  asserts: (AssertOutcome & { type: string })[]
}

export interface Report {
  passed: number
  total: number
  skipped: number
  interval: { low: number; high: number } | null
  per_assert: {
    id: string
    assert: number
    type: string
    passed: boolean
    score: number | null
    precision?: number
    recall?: number
  }[]
  per_assert_truncated_from: number | null
  failures: { id: string; assert: number; type: string; detail: string }[]
  failures_truncated_from: number | null
  mcnemar: { b: number; c: number; p: number } | null
  delta: Delta | null
  verdict: Verdict
  junit: string
}

interface Compared {
  baseline?: { id: string; passed: boolean }[]
  gate: Gate
  random: Random
  skipped?: number
}

export function toReport(
  name: string,
  cases: readonly CaseOutcome[],
  { baseline, gate, random, skipped = 0 }: Compared,
): Report {
  const passes = new Map(cases.map(({ id, asserts }) => [id, asserts.every(({ passed }) => passed)]))
  const passed = [...passes.values()].filter(Boolean).length
  const interval = cases.length === 0 ? null : wilson(passed, cases.length)
  const changes = (baseline ?? []).map((before) => Number(passes.get(before.id)) - Number(before.passed))
  const [b, c] = [changes.filter((change) => change < 0).length, changes.filter((change) => change > 0).length]
  const changed = changes.length === 0 ? null : { b, c, p: mcnemar(b, c) }
  const asserts = cases.flatMap(({ id, asserts }) => asserts.map((outcome, assert) => ({ id, assert, ...outcome })))
  const failures = asserts.filter((outcome) => !outcome.passed)
  return {
    passed,
    total: cases.length,
    skipped,
    interval,
    per_assert: asserts.slice(0, MAX_ASSERTS).map(({ detail: _, ...outcome }) => outcome),
    per_assert_truncated_from: asserts.length > MAX_ASSERTS ? asserts.length : null,
    failures: failures.slice(0, MAX_FAILURES).map(({ id, assert, type, detail }) => ({ id, assert, type, detail })),
    failures_truncated_from: failures.length > MAX_FAILURES ? failures.length : null,
    mcnemar: changed,
    delta: changed === null ? null : pairedBootstrap(changes, random),
    verdict: judge(interval, changed, gate),
    junit: toJunit(name, cases),
  }
}

/** JUnit without times: those are readings, and the text is part of the digest. */
function toJunit(name: string, cases: readonly CaseOutcome[]): string {
  const failing = cases.filter(({ asserts }) => asserts.some(({ passed }) => !passed))
  const lines = cases.map(({ id, asserts }) => {
    const failed = asserts.find(({ passed }) => !passed)
    const head = `  <testcase classname="${escaped(name)}" name="${escaped(id)}"`
    return failed === undefined
      ? `${head}/>`
      : `${head}><failure type="${failed.type}" message="${escaped(failed.detail)}"/></testcase>`
  })
  const suite = `<testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failing.length}">`
  return ['<?xml version="1.0" encoding="UTF-8"?>', suite, ...lines, '</testsuite>', ''].join('\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no way to write most control characters. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign]!)
