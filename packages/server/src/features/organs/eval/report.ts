/** From what each assertion came to, to the answer. */
import { wilson } from '../../../domain/wilson.ts'
import type { Random } from '../random.ts'
import type { Limit } from '../schemas.ts'
import type { AssertOutcome, Baseline, Gate, Report } from './shapes.ts'
import { judge, mcnemar, pairedBootstrap } from './statistics.ts'

const MAX_FAILURES = 50
const MAX_ASSERTS = 400

export interface CaseOutcome {
  id: string
  asserts: (AssertOutcome & { type: string })[]
}

interface Compared {
  baseline?: Baseline | undefined
  gate: Gate
  random: Random
  skipped?: number
}

const cut = <T>(list: readonly T[], most: number) => (list.length > most ? list.length : null)

export function toReport(
  name: string,
  cases: readonly CaseOutcome[],
  { baseline = [], gate, random, skipped = 0 }: Compared,
): { result: Report; limits: Limit[] } {
  const passes = new Map(cases.map(({ id, asserts }) => [id, asserts.every(({ passed }) => passed)]))
  const passed = [...passes.values()].filter(Boolean).length
  const interval = cases.length === 0 ? null : wilson(passed, cases.length)
  const changes = baseline.map((before) => Number(passes.get(before.id)) - Number(before.passed))
  const [b, c] = [changes.filter((change) => change < 0).length, changes.filter((change) => change > 0).length]
  const changed = changes.length === 0 ? null : { b, c, p: mcnemar(b, c) }
  const asserts = cases.flatMap(({ id, asserts }) => asserts.map((outcome, assert) => ({ id, assert, ...outcome })))
  const failures = asserts.filter((outcome) => !outcome.passed)
  const result = {
    passed,
    total: cases.length,
    skipped,
    interval,
    per_assert: asserts.slice(0, MAX_ASSERTS).map(({ detail: _, ...outcome }) => outcome),
    per_assert_truncated_from: cut(asserts, MAX_ASSERTS),
    failures: failures.slice(0, MAX_FAILURES).map(({ id, assert, type, detail }) => ({ id, assert, type, detail })),
    failures_truncated_from: cut(failures, MAX_FAILURES),
    mcnemar: changed,
    delta: changed === null ? null : pairedBootstrap(changes, random),
    verdict: judge(interval, changed, gate),
    gate,
    junit: toJunit(name, cases),
  }
  return { result, limits: comparisonLimits(changes, cases.length) }
}

/** What a comparison leaves open, which its numbers do not show. */
function comparisonLimits(changes: readonly number[], total: number): Limit[] {
  if (changes.length === 0) return []
  const unpaired = total - changes.length
  const flat = new Set(changes).size === 1
  return [
    ...(unpaired > 0
      ? [{ code: 'UNPAIRED_CASES', detail: `${unpaired} of ${total} cases have no baseline and are not compared` }]
      : []),
    ...(flat
      ? [{ code: 'FLAT_BOOTSTRAP', detail: 'all pairs changed alike: the interval of delta has no width to speak of' }]
      : []),
  ]
}

/** JUnit without times: those are readings, and the text is part of the digest. */
function toJunit(name: string, cases: readonly CaseOutcome[]): string {
  const lines = cases.map(({ id, asserts }) => {
    const failed = asserts.find(({ passed }) => !passed)
    const head = `  <testcase classname="${escaped(name)}" name="${escaped(id)}"`
    if (failed === undefined) return `${head}/>`
    return `${head}><failure type="${failed.type}" message="${escaped(failed.detail)}"/></testcase>`
  })
  const failing = lines.filter((line) => line.endsWith('</testcase>')).length
  const suite = `<testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failing}">`
  return ['<?xml version="1.0" encoding="UTF-8"?>', suite, ...lines, '</testsuite>', ''].join('\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no way to write most control characters. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign]!)
