// No number of these readings comes from a constant or a trick with a clock. The sources are read for it: what a module
// that reports measurements may write down is listed here, with the reason, and everything else is a finding.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readSource } from '../../../../../scripts/source-text.ts'

const sourceOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

function literalsIn(source: string): string[] {
  const { code } = readSource(source)
  return [...code.matchAll(/(?<![\w$.])\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?n?\b/g)].map(([found]) => found)
}

/** Literals each module needs, as often as they stand there. */
const ALLOWED: Record<string, string[]> = {
  // The beginning of a chain or a counter, and a step: as often as the walk needs them.
  '../../domain/receipts/chain-window.ts': literalsIn(sourceOf('../../domain/receipts/chain-window.ts')).filter(
    (literal) => /^[01]$/.test(literal),
  ),
  '../../domain/receipts/governance-page.ts': [],
  // What each quantile needs, the percents themselves and the rounding to the microsecond.
  './readings.ts': ['0', '1', '1', '20', '50', '95', '99', '100', '1000', '1000'],
  // The positions of a ring, one more number in it, and the rank among them by percents.
  '../../platform/ring.ts': ['0', '0', '0', '0', '1', '1', '100'],
  // The size of the ring, seconds to milliseconds, the first status that is an error, the bounds of the histogram; counters
  // begin at nothing and count by one.
  '../../adapters/telemetry/request-metrics.ts': [
    '0',
    '0',
    '0',
    '0',
    '0',
    '0',
    '0',
    '0',
    '0.005',
    '0.01',
    '0.025',
    '0.05',
    '0.1',
    '0.25',
    '0.5',
    '1',
    '1',
    '1',
    '1',
    '1',
    '1',
    '1',
    '1',
    '1',
    '1',
    '10',
    '1000',
    '1024',
    '2.5',
    '5',
    '500',
    '300',
  ],
}
const TRICKS =
  /\bMath\s*\.\s*(?:random|sin|cos|exp|pow)\b|\bDate\s*\.\s*now\b|\bperformance\b|\bhrtime\b|\bsetTimeout\b|\bsetInterval\b|\bcrypto\b|\b(?:now|clock)\s*\(\s*\)\s*[-+*/%]/g

const tricksIn = (source: string): string[] => [...readSource(source).code.matchAll(TRICKS)].map(([found]) => found)
const surplus = (found: string[], allowed: string[]): string[] => {
  const left = [...allowed]
  return found.filter((literal) => {
    const at = left.indexOf(literal)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

for (const [file, allowed] of Object.entries(ALLOWED))
  test(`${file} writes down no number it should have read`, () => {
    const source = sourceOf(file)
    assert.deepEqual(surplus(literalsIn(source), allowed), [])
    assert.deepEqual(surplus(allowed, literalsIn(source)), [], 'the list allows what is no longer there')
    assert.deepEqual(tricksIn(source), [])
  })

const planted: [what: string, from: string, to: string][] = [
  ['a base with jitter', 'p50_ms: rank(50, NEEDED.p50)', 'p50_ms: 12.5 + Math.random()'],
  ['a made-up count', 'window_count: sorted.length', 'window_count: 1024'],
  ['a time that runs', 'micro(sorted.at(-1)!)', 'now() % sorted.length'],
  ['a floor under the value', 'Math.round(milliseconds * 1000)', 'Math.max(3, milliseconds * 1000)'],
]
for (const [what, from, to] of planted)
  test(`${what} in the latency would be found`, () => {
    const source = sourceOf('./readings.ts')
    assert.ok(source.includes(from), from)
    const changed = source.replace(from, to)
    const found = [...surplus(literalsIn(changed), ALLOWED['./readings.ts']!), ...tricksIn(changed)]
    assert.notDeepEqual(found, [])
  })

test('the model of savings reads no count, and the counts no model', () => {
  assert.doesNotMatch(sourceOf('./roi-model.ts'), /tallies|measured\(|governance-contract/)
  assert.doesNotMatch(sourceOf('./readings.ts'), /roi-model|big\.js|usd/i)
})
