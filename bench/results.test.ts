import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { summary } from './account.ts'
import { CHAT } from './references/chat-upstream.ts'
import { type Recorded, withFigures } from './report.ts'
import { entryOf, type Measured, median, mergeResults, type Results, tableOf } from './results.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'
import { numbered } from './serial.ts'
import { readSource } from './source.ts'
import type { SpreadRow } from './spread.ts'

const scenario = (more: Partial<Scenario> = {}): Scenario => ({
  name: 'decisions',
  unit: 'decisions/s',
  ratioTo: 'limit',
  bar: 0.4,
  goal: 0.8,
  prepare: () => Promise.reject(new Error('not run here')),
  ...more,
})
const measured = (own: number[], base: number[]): Measured =>
  new Map([
    ['decisions', { values: own }],
    ['limit', { values: base }],
  ])
const AT = '2024-01-01T00:00:00.000Z'

test('the median of an even number of rounds lies between the middle two, of none there is none', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5)
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([]), null)
})

test('a machine that slows down in the middle does not change a ratio', () => {
  assert.equal(entryOf(scenario(), measured([50, 50, 5, 5], [100, 100, 10, 10]), AT).ratio, 0.5)
})

test('what was met is the goal, the bar or neither, and nothing where nothing was measured', () => {
  const met = (own: number[]) => entryOf(scenario(), measured(own, [100]), AT).met
  assert.deepEqual([met([80]), met([79]), met([39]), met([])], ['goal', 'bar', 'neither', null])
  assert.equal(entryOf(scenario({ ratioTo: 'absent' }), measured([80], [100]), AT).ratio, null)
})

test('what one scenario adds to another is told round by round, with the most it may be', () => {
  const waiting = scenario({ addedTo: 'limit', most: 1 })
  assert.deepEqual(entryOf(waiting, measured([5, 3, 4], [1, 2, 1]), AT).added, { to: 'limit', value: 3, most: 1 })
  assert.deepEqual(entryOf(waiting, measured([], []), AT).added, { to: 'limit', value: null, most: 1 })
  assert.equal('added' in entryOf(scenario(), measured([5], [1]), AT), false)
})

test('a scenario that could not run is null with its reason, never a number', () => {
  const entry = entryOf(scenario(), new Map([['decisions', { values: [], reason: 'no target' }]]), AT)
  assert.equal(entry.value, null)
  assert.equal(entry.reason, 'no target')
})

const run = (results: Results['results'], startedAt: string): Results => ({
  schema: 'orch.bench/v1',
  machine: { cores: 2, arch: 'arm64', node: 'v26' },
  started_at: startedAt,
  results,
})

test('a whole run replaces the file, a narrowed one only its own entries, which say when they were run', () => {
  const entry = entryOf(scenario(), measured([80], [100]), AT)
  const old = run({ a: entry, b: entry }, 'old')
  const fresh = run({ b: { ...entry, run_at: 'later' } }, 'new')
  assert.deepEqual(Object.keys(mergeResults(old, fresh, false).results), ['b'])
  const merged = mergeResults(old, fresh, true).results
  assert.deepEqual([merged.a?.run_at, merged.b?.run_at], [AT, 'later'])
})

test('6d what the proxy adds to a plain pass-through is measured beside it, as a ratio and in milliseconds', () => {
  const of = (name: string) => SCENARIOS.find((one) => one.name === name)
  assert.equal(of('proxy')?.ratioTo, 'pass-through')
  assert.equal(of('proxy-p50')?.addedTo, 'pass-through-p50')
  const names = SCENARIOS.map(({ name }) => name)
  for (const own of ['proxy', 'proxy-p50'])
    assert.ok(
      names.indexOf(own) > names.indexOf(of(own)!.ratioTo ?? of(own)!.addedTo!),
      'after what it is judged against',
    )
  const samples = new Map([
    ['proxy-p50', { values: [3.2] }],
    ['pass-through-p50', { values: [2.5] }],
  ])
  const entry = entryOf(of('proxy-p50')!, samples, AT)
  assert.match(tableOf(run({ 'proxy-p50': entry }, AT)), /proxy-p50 .*pass-through-p50/)
})

test('the table names what is unavailable instead of leaving it out', () => {
  const entry = entryOf(scenario(), new Map([['decisions', { values: [], reason: 'no target' }]]), AT)
  assert.match(tableOf(run({ decisions: entry }, AT)), /decisions +UNAVAILABLE: no target/)
})

const recorded = (): Recorded => JSON.parse(readFileSync(new URL('./results.json', import.meta.url), 'utf8'))
const page = readFileSync(new URL('../docs/performance.md', import.meta.url), 'utf8')

test('the page on performance shows the figures of the file, and nothing is called met that is not', () => {
  assert.equal(withFigures(page, recorded()), page, 'run: npm run bench -- --memory, or any other of its kinds')
  const found = recorded()
  found.results = { decisions: entryOf(scenario(), measured([39], [100]), AT) }
  assert.match(withFigures(page, found), /`decisions` \| 39 decisions\/s \| `limit` \| 0.39 \| 0.4 \| unmet/)
  found.results = { decisions: entryOf(scenario(), measured([40], [100]), AT) }
  assert.match(withFigures(page, found), /\| 0.4 \| 0.4 \| met \|/)
  found.results = { decisions: entryOf(scenario(), measured([], []), AT) }
  assert.match(withFigures(page, found), /not measured/)
  const { schema, machine, started_at } = found
  assert.match(withFigures(page, { schema, machine, started_at, results: {} }), /### Resident memory/)
})

test('the account shows its pauses for the collector and says what was run and what its stages cover', () => {
  const found = recorded()
  const [name, one] = Object.entries(found.account ?? {})[0]!
  found.account = { [name]: { ...one, collector_pauses: { main: 40.4, ledger: 2.2 } } }
  const shown = withFigures(page, found)
  assert.match(shown, /\| of it, in pauses for the collector \| 43 \|/)
  assert.match(shown, /runs the sources of the service.*; the ratios run the bundle\./)
})

test('no two chats of a bench are the same', () => {
  const body = JSON.stringify(CHAT)
  assert.notEqual(numbered(body), numbered(body))
})

test('what was asked for beside a reference is met up to its limit and not beyond', () => {
  const waiting = scenario({ unit: 'ms', addedTo: 'limit', most: 2 })
  const { bar: _bar, goal: _goal, ratioTo: _ratioTo, ...added } = waiting
  const shown = (own: number) => {
    const found = recorded()
    found.results = { waiting: entryOf(added, measured([own], [1]), AT) }
    return withFigures(page, found)
  }
  assert.match(shown(3), /2 ms more \| 2 \| met/)
  assert.match(shown(3.1), /2.1 ms more \| 2 \| unmet/)
})

test('an entry of another source than the newest is marked with its commit, one without a source as such', () => {
  const source = (commit: string, digest: string) => ({ commit, dirty: false, digest })
  const entry = entryOf(scenario(), measured([40], [100]), AT)
  const { schema, machine, started_at } = recorded()
  const results = {
    new: { ...entry, run_at: '2024-02-02', source: source('aaaaaaaa1', 'one') },
    'as new': { ...entry, run_at: '2024-02-01', source: source('bbbbbbbb1', 'one') },
    older: { ...entry, source: source('cccccccc1', 'two') },
    oldest: entry,
  }
  const shown = withFigures(page, { schema, machine, started_at, results })
  assert.match(shown, /\| `new` .* \| 2024-02-02 \|\n\| `as new` .* \| 2024-02-01 \|\n/)
  assert.match(shown, /\| `older` .* \| 2024-01-01 \(1\) \|\n\| `oldest` .* \| 2024-01-01 \(2\) \|\n/)
  const legend =
    'Without a mark: measured on aaaaaaaa; (1) measured on other source: cccccccc; (2) source not recorded.'
  assert.ok(shown.includes(`\n${legend}\n`))
})

test('a source is told by its commit, whether anything differs from it, and a digest of what runs', () => {
  const { commit, dirty, digest } = readSource()
  assert.match(commit ?? '0'.repeat(40), /^[0-9a-f]{40}$/)
  assert.equal(typeof dirty, 'boolean')
  assert.match(digest, /^sha256:[0-9a-f]{64}$/)
})

const BACKGROUND = { requests: 1_000, catching_up_ms: 20, at_rest_ms: 5 }
const accounted = (unclaimed: number) => {
  const said = { thread: 'main', walls: { decide: 30, reply: 70 - unclaimed }, unclaimed, blocking: {}, collecting: 0 }
  const threads = { main: 100.4, collector: 20, upstream: 1_000, other: 0.2 }
  const plain = { samples: [{ requests: 1_000, threads: { main: 90, collector: 20, upstream: 1_000 }, stages: null }] }
  return summary(plain, { samples: [{ requests: 1_000, threads, stages: [said] }] }, BACKGROUND)
}

test('stages and what no stage claims add up to what was measured with the probe, thread by thread', () => {
  const { stages, probed, total, sum_of_stages } = accounted(9.3)
  const claimed = (thread: string) => Object.values(stages).reduce((sum, row) => sum + (row[thread] ?? 0), 0)
  assert.deepEqual(Object.keys(probed!.threads), ['main', 'collector', 'other'])
  for (const [thread, us] of Object.entries(probed!.threads))
    assert.equal(Number((claimed(thread) + probed!.no_stage[thread]!).toFixed(1)), us)
  assert.deepEqual([probed!.no_stage.other, probed!.total, total], [0.2, 120.6, 110])
  assert.equal(Number((sum_of_stages + probed!.no_stage.main! + probed!.no_stage.other!).toFixed(1)), 120.6)
})

test('a thread that did nothing has no share of any stage', () => {
  const said = { thread: 'ledger', walls: {}, unclaimed: 0, blocking: { sign: 0 }, collecting: 0 }
  const sample = { requests: 10, threads: { main: 5, ledger: 0 }, stages: [said] }
  const { sum_of_stages, probed } = summary({ samples: [sample] }, { samples: [sample] }, BACKGROUND)
  assert.deepEqual([sum_of_stages, probed!.total], [0, 5])
})

test('an account of which no stage claims more than a tenth is unmet, and what happens afterwards has a row', () => {
  const { schema, machine, started_at } = recorded()
  const shown = (unclaimed: number) => {
    const account = { decision: { ...accounted(unclaimed), run_at: AT } }
    return withFigures(page, { schema, machine, started_at, results: {}, account })
  }
  assert.match(shown(11), /\| no stage, at most 10.0 % asked for \| 9.4 %, met \|/)
  assert.match(shown(13), /\| no stage, at most 10.0 % asked for \| 11.0 %, unmet \|/)
  assert.match(shown(11), /\| background work afterwards, for each request \| 20 \|/)
})

test('memory is judged by what is held after 100,000 decisions and at the end of a soak', () => {
  const { schema, machine, started_at } = recorded()
  const shown = (requests: number, finalRss: number[], rss_mib: number[]) => {
    const samples = finalRss.map((end) => [
      { requests: 0, rss_mib: 500 },
      { requests, rss_mib: end },
    ])
    const memory = { decision: { runs: [{ connections: 256, rounds: samples }], run_at: AT } }
    const soak = { sessions: { load: '9 sessions', rss_mib, run_at: AT } }
    return withFigures(page, { schema, machine, started_at, results: {}, memory, soak })
  }
  const memoryRow = /decision, 256 connections \| (?:100,000|99,999) requests \| 500 \| .* \| (.*) \| (.*) \| 2024/
  const judged = (requests: number, finalRss: number[]) => memoryRow.exec(shown(requests, finalRss, [1]))?.slice(1)
  assert.deepEqual(judged(100_000, [298, 299, 310]), ['under 300 at the end', 'met'])
  assert.deepEqual(judged(100_000, [299, 300, 310]), ['under 300 at the end', 'unmet'])
  assert.deepEqual(judged(99_999, [299]), ['', ''])
  assert.match(shown(1, [1], [410, 399]), /soak, sessions \| 9 sessions \| 410 \| 399 \| under 400 at the end \| met/)
  assert.match(shown(1, [1], [390, 400]), /\| 400 \| 400 \| under 400 at the end \| unmet/)
})

test('a ledger is flat where the rates of a larger one are within a tenth of those of the first in the same rounds', () => {
  const { schema, machine, started_at } = recorded()
  const reading = { p50_ms: 1, p99_ms: 1, processor_us: 1, reading_us: 1, rss_mib: 1 }
  const row = (receipts: number, rates: number[]): SpreadRow => ({
    ...{ receipts, held: [receipts, receipts], connections: 9, per_second: 1, ...reading },
    rounds: rates.map((per_second) => ({ per_second, ...reading })),
  })
  const shown = (rates: number[]) => {
    const spread = { decision: { rows: [row(10, [900, 100, 500]), row(20, rates)], run_at: AT } }
    return withFigures(page, { schema, machine, started_at, results: {}, spread })
  }
  assert.match(shown([981, 109, 100]), /100.0 %, 109.0 % of the rate .* 9.0 % apart.*: met\./)
  assert.match(shown([900, 89, 445]), /100.0 %, 89.0 % of the rate .* 12.4 % apart.*: unmet\./)
})

test('an overload is met where every answer is 200 or a refusal that says when to come back, and says if none was refused', () => {
  const { schema, machine, started_at } = recorded()
  const round = {
    ...{ answered_per_second: 100, asked_per_second: 400, sent: 4, unsent: 1, waiting: 3, p50_ms: 1, p99_ms: 2 },
    ...{ highest_mib: 300, recovered: true, without_retry_after: 0, closed: 0, unanswered: 0 },
  }
  const verdict = (statuses: Record<string, number>, more: Partial<typeof round> = {}) => {
    const overload = { decision: { connections: 9, seconds: 1, rounds: [{ ...round, statuses, ...more }], run_at: AT } }
    const shown = withFigures(page, { schema, machine, started_at, results: {}, overload })
    return /\| decision, 1 x 1 s, 9 connections \|.*\| ([^|]*) \| 2024-01-01 \(1\) \|/.exec(shown)?.[1]
  }
  assert.equal(verdict({ 200: 3, 503: 1 }), 'met')
  assert.equal(verdict({ 200: 3, 429: 1 }), 'met')
  assert.equal(verdict({ 200: 4 }), 'met, and nothing was refused')
  assert.equal(verdict({ 200: 3, 408: 1 }), 'unmet')
  assert.equal(verdict({ 200: 3, 503: 1 }, { without_retry_after: 1 }), 'unmet')
  assert.equal(verdict({ 200: 3 }, { closed: 1 }), 'unmet')
  assert.equal(verdict({ 200: 3 }, { unanswered: 1 }), 'unmet')
  assert.equal(verdict({ 200: 3, 503: 1 }, { recovered: false }), 'unmet')
})
