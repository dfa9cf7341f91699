import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { runStored } from '#testing/organs/organ-stores.ts'
import { storeInMemory } from '#testing/organs/store-in-memory.ts'
import { countingGauges, tryOrgan } from '#testing/organs/try-organ.ts'
import { memory } from './organ.ts'
import { type Version, versionAt } from './versions.ts'

const SEED = 15
const MAX_BYTES = 16 * 1024 * 1024
const MAX_RECORD_BYTES = 512 * 1024
const GOLDEN = 'd72ac768fa30e8598e0dfaa7b9176dccf77bfeb6d6f5449f68a53d21f39dd8dd'

const allow = async () => ({ action: 'allow', findings: [], faults: [] }) as const
function fresh({ screen = allow as never } = {}) {
  const store = storeInMemory()
  let salts = 0
  let now = Date.UTC(2026, 0, 1)
  const organ = memory({ ledger: store, screen, secret: () => sha256Hex(`salt ${salts++}`) })
  const gauges = { ...countingGauges(), clock: { now: () => now, monotonic: () => 0 } }
  return {
    store,
    organ,
    later: (seconds: number) => {
      now += seconds * 1000
    },
    run: (body: Record<string, unknown>, owner = 'local') => runStored(store, organ, body, { gauges, owner }),
  }
}
const absent = { code: 'record_not_found' }

test('the example has its golden digest, and asked again it changes nothing', async () => {
  const { run, organ } = fresh()
  const { request } = organ.example
  const { answer } = await run(request)
  assert.equal(answer.result_sha256, GOLDEN)
  const { answer: again, documents } = await run(request)
  assert.deepEqual([again.result.stored, again.result.record.version, documents.length], [false, 1, 0])
})

const DAY = 86_400_000
const version = (n: number, from: number, expires: number | null = null): Version => ({
  ...{ version: n, text: `v${n}`, sha256: '', tags: [], recorded: 0, expires, supersedes: n - 1 || null },
  valid_from: from * DAY,
})
/** Versions, as_of and now in days; the version that is read. */
const CASES: [string, Version[], number, number, number | null][] = [
  ['before the first', [version(1, 10)], 9, 20, null],
  ['at the first', [version(1, 10)], 10, 20, 1],
  ['between two', [version(1, 10), version(2, 12)], 11, 20, 1],
  ['a correction that reaches back', [version(1, 10), version(2, 12), version(3, 11)], 11, 20, 3],
  ['the later of two that begin together', [version(1, 10), version(2, 10)], 10, 20, 2],
  ['one that expired stays gone and brings none back', [version(1, 10), version(2, 12, 15 * DAY)], 13, 20, null],
]
for (const [name, versions, asOf, now, expected] of CASES)
  test(`as of: ${name}`, () => {
    assert.equal(versionAt(versions, asOf * DAY, now * DAY)?.version ?? null, expected)
  })

test('as_of reads the version that was valid then, and an expired one is absent everywhere', async () => {
  const { run, later } = fresh()
  const at = { ns: 'n', key: 'k' }
  await run({ op: 'put', ...at, text: 'first', valid_from: '2025-01-01T00:00:00Z' })
  await run({ op: 'put', ...at, text: 'second', valid_from: '2025-06-01T00:00:00Z', ttl_s: 60 })
  const textAt = async (as_of?: string) =>
    (await run({ op: 'get', ...at, ...(as_of && { as_of }) })).answer.result.record.text
  assert.deepEqual([await textAt('2025-03-01T00:00:00Z'), await textAt()], ['first', 'second'])
  await assert.rejects(textAt('2024-12-31T23:59:59.999Z'), absent)
  assert.equal((await run({ op: 'search', ns: 'n', q: 'second' })).answer.result.hits.length, 1)
  later(59)
  assert.equal(await textAt(), 'second')
  later(1)
  await assert.rejects(textAt(), absent)
  assert.deepEqual((await run({ op: 'search', ns: 'n', q: 'second' })).answer.result.hits, [])
  const { answer } = await run({ op: 'history', ...at })
  assert.deepEqual(
    answer.result.versions.map(({ version, expired, supersedes }: Record<string, unknown>) => [
      version,
      expired,
      supersedes,
    ]),
    [
      [2, true, 1],
      [1, false, null],
    ],
  )
})

test('a version of the future is not read and not found before its time', async () => {
  const { run, later } = fresh()
  await run({ op: 'put', ns: 'n', key: 'k', text: 'old tariff' })
  await run({ op: 'put', ns: 'n', key: 'k', text: 'new tariff', valid_from: '2026-01-01T00:01:00Z' })
  const found = async () =>
    (await run({ op: 'search', q: 'tariff' })).answer.result.hits.map((hit: { snippet: string }) => hit.snippet)
  assert.deepEqual(await found(), ['old tariff'])
  later(60)
  assert.deepEqual(await found(), ['new tariff'])
  assert.equal((await run({ op: 'get', ns: 'n', key: 'k' })).answer.result.record.text, 'new tariff')
})

test('10,000 random ops come to what a map comes to', async () => {
  const { run, store } = fresh()
  const model = new Map<string, string[]>()
  let state = SEED
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  for (let n = 0; n < 10_000; n += 1) {
    const [ns, key] = [`n${random(3)}`, `k${random(12)}`]
    const place = `${ns}/${key}`
    const kind = random(10)
    if (kind < 5) {
      const text = `text ${random(40)}`
      const known = model.get(place) ?? []
      const { answer } = await run({ op: 'put', ns, key, text })
      assert.equal(answer.result.stored, known.at(-1) !== text)
      if (known.at(-1) !== text) model.set(place, [...known, text])
      assert.equal(answer.result.record.version, model.get(place)!.length)
    } else if (kind < 8) {
      const expected = model.get(place)?.at(-1)
      if (expected === undefined) await assert.rejects(run({ op: 'get', ns, key }), absent)
      else assert.equal((await run({ op: 'get', ns, key })).answer.result.record.text, expected)
    } else if (kind < 9) {
      if (!model.has(place)) await assert.rejects(run({ op: 'history', ns, key }), absent)
      else {
        const { versions, truncated_from = versions.length } = (await run({ op: 'history', ns, key })).answer.result
        assert.equal(truncated_from, model.get(place)!.length)
      }
    } else {
      const whole = random(6) === 0
      const places = [...model.keys()].filter((one) => (whole ? one.startsWith(`${ns}/`) : one === place))
      const body = { op: 'forget', ns, ...(whole ? {} : { key }) }
      if (places.length === 0) await assert.rejects(run(body), absent)
      else assert.equal((await run(body)).answer.result.forgotten, places.length)
      for (const one of places) model.delete(one)
    }
  }
  const remaining = [...store.rows.values()].filter(({ space }) => space === 'organ.n15.record')
  assert.equal(remaining.length, model.size)
})

test('after a removal the receipts of the text cannot be told from others: their salt is gone', async () => {
  const { run, store } = fresh()
  const put = { op: 'put', ns: 'n', key: 'k', text: 'the pin is four digits' }
  const { answer, payload } = await run(put)
  assert.notEqual(payload.input_sha256, answer.input_sha256)
  assert.notEqual(payload.result_sha256, answer.result_sha256)
  const got = await run({ op: 'get', ns: 'n', key: 'k' })
  assert.notEqual(got.payload.result_sha256, got.answer.result_sha256)
  const salts = () => JSON.stringify([...store.rows.values()]).match(/"salt\\":\\"[0-9a-f]{64}/gu)
  const before = salts()
  const forgotten = await run({ op: 'forget', ns: 'n', key: 'k' })
  assert.deepEqual([forgotten.answer.result.forgotten, forgotten.answer.result.tombstones.length], [1, 1])
  assert.ok(!JSON.stringify(forgotten.answer.result).includes(sha256Hex(put.text)))
  const after = salts()
  assert.ok(before!.every((salt) => !after!.includes(salt)))
  assert.ok(!JSON.stringify([...store.rows.values()]).includes('four digits'))
  await assert.rejects(run({ op: 'get', ns: 'n', key: 'k' }), absent)
  assert.deepEqual((await run({ op: 'search', q: 'digits' })).answer.result.hits, [])
})

test('what is screened is everything that is stored: namespace, key, tags and text', async () => {
  const seen: string[] = []
  const { run } = fresh({
    screen: (async (text: string) => {
      seen.push(text)
      return allow()
    }) as never,
  })
  await run({ op: 'put', ns: 'names', key: 'keys', tags: ['marked'], text: 'words' })
  assert.deepEqual(seen, ['words\nnames\nkeys\nmarked'])
})

test('a secret is denied and nothing is stored; so is a text that could not be screened', async () => {
  const finding = { scanner: 'secrets', rule: 'P20', start: 0, end: 4, score: 1, sample_masked: 'AK**' }
  const screens = [
    async () => ({ action: 'deny', findings: [finding], faults: [] }),
    async () => ({ action: 'review', findings: [], faults: ['the gate was late'] }),
  ]
  for (const screen of screens) {
    const { run, store } = fresh({ screen: screen as never })
    const { answer, payload } = await run({ op: 'put', text: 'AKIA' })
    assert.deepEqual([answer.status, answer.result.stored, answer.result.record], ['DENIED', false, null])
    assert.notEqual(payload.input_sha256, answer.input_sha256)
    assert.equal(store.rows.size, 0)
    assert.equal(answer.deterministic, screen === screens[0])
  }
})

test('another tenant reads, lists, finds and forgets nothing', async () => {
  const { run } = fresh()
  await run({ op: 'put', ns: 'n', key: 'k', text: 'a secret plan' })
  for (const body of [
    { op: 'get', ns: 'n', key: 'k' },
    { op: 'history', ns: 'n', key: 'k' },
    { op: 'forget', ns: 'n' },
  ])
    await assert.rejects(run(body, 'other'), absent)
  const { answer } = await run({ op: 'search', q: 'secret plan' }, 'other')
  assert.deepEqual([answer.result.hits, answer.evidence.readings[0].value, answer.evidence.state], [[], 0, undefined])
  const own = await run({ op: 'put', ns: 'n', key: 'k', text: 'mine' }, 'other')
  assert.equal(own.answer.result.record.version, 1)
})

test('a prompt stores, reads what is a key and searches for the rest', async () => {
  const { run } = fresh()
  const stored = await run({ prompt: 'office hours = nine = five' })
  assert.deepEqual([stored.answer.op, stored.answer.result.record.key], ['put', 'office hours'])
  const read = await run({ prompt: 'office hours' })
  assert.equal(read.answer.result.record.text, 'nine = five')
  const searched = await run({ prompt: 'when is five?' })
  assert.deepEqual([searched.answer.op, searched.answer.result.record], ['search', null])
  assert.equal(searched.answer.result.hits[0].key, 'office hours')
  const written = await run({ op: 'search', ns: 'default', q: 'when is five?' })
  assert.deepEqual(
    [written.answer.input_sha256, written.answer.result_sha256],
    [searched.answer.input_sha256, searched.answer.result_sha256],
  )
  for (const prompt of ['=', '= x', 'a =', `k = ${'x'.repeat(8188)}`]) await run({ prompt })
})

test('a line of code, an address or a question is searched for and never stored', async () => {
  const { run, store } = fresh()
  for (const prompt of [
    'if a == b then',
    'if a = b then',
    'a == b',
    'x != y',
    'count += 1',
    'n >= 3',
    '(a, b) => a',
    'let x = 5',
    'const limit = 10',
    'SELECT id FROM t WHERE name = 1',
    'https://example.com/?q=1&r = 2',
    'what is E = mc2',
    'print("a = b")',
    'a=b',
    `${'many words before the sign '.repeat(3)} = 1`,
  ])
    assert.equal((await run({ prompt })).answer.op, 'search', prompt)
  assert.equal(store.rows.size, 0)
  for (const prompt of ['E = mc^2', "anna's phone = 12", 'rate.limit = 10 == ten', 'Öffnungszeiten = neun\nbis fünf'])
    assert.equal((await run({ prompt })).answer.op, 'put', prompt)
})

test('a put that is sent again is the version that stands, also where it says from when it holds', async () => {
  const { run } = fresh()
  for (const body of [{ text: 'plain' }, { text: 'dated', key: 'k', valid_from: '2025-01-01T00:00:00Z' }]) {
    const [first, again] = [await run({ op: 'put', ...body }), await run({ op: 'put', ...body })]
    assert.deepEqual([first.answer.result.stored, again.answer.result.stored], [true, false])
    assert.deepEqual(again.answer.result.record, first.answer.result.record)
  }
})

test('a request that began a moment before the index was built finds what it holds', async () => {
  const { run, later } = fresh()
  await run({ op: 'put', ns: 'n', key: 'k', text: 'a green ledger' })
  later(1)
  await run({ op: 'search', q: 'ledger' })
  later(-1)
  assert.equal((await run({ op: 'search', q: 'ledger' })).answer.result.hits.length, 1)
})

test('the loop turns while an index of many records is built', async () => {
  const { run, organ } = fresh()
  const many = 320
  for (let n = 0; n < many; n += 1) await run({ op: 'put', ns: 'n', key: `k${n}`, text: `record ${n} `.repeat(200) })
  const { value, turns } = await countTurns(() => run({ op: 'search', q: 'record 77', k: 1 }))
  assert.equal(value.answer.evidence.readings.find(({ name }: { name: string }) => name === 'rows').value, many)
  assert.ok(turns >= many / 16, `the loop turned ${turns} times`)
  assert.equal(organ.ops.search!.deadlineMs, 1000)
})

test('dry_run writes nothing, and neither result, readings nor state claim that it did', async () => {
  const { run, store } = fresh()
  const { answer, payload } = await run({ op: 'put', text: 'x', dry_run: true })
  assert.equal(store.rows.size, 0)
  assert.deepEqual([answer.dry_run, payload.dry_run, answer.result.stored], [true, true, false])
  const { readings, state } = answer.evidence
  assert.equal(readings.find(({ name }: { name: string }) => name === 'rows').value, 0)
  assert.equal(state.after_sha256, state.before_sha256)
  assert.equal(answer.limits.at(-1).code, 'DRY_RUN')
  const written = (await run({ op: 'put', text: 'x' })).answer
  assert.deepEqual([written.dry_run, written.result.stored], [undefined, true])
  assert.notEqual(written.evidence.state.after_sha256, state.before_sha256)
})

test('every bound holds at n and is refused at n + 1 with its field', async () => {
  const put = { op: 'put', text: 'x' }
  const bounds: [Record<string, unknown>, Record<string, unknown>, string][] = [
    [{ ...put, ns: 'n'.repeat(64) }, { ...put, ns: 'n'.repeat(65) }, 'ns'],
    [{ ...put, key: 'k'.repeat(128) }, { ...put, key: 'k'.repeat(129) }, 'key'],
    [{ ...put, text: 'x'.repeat(8192) }, { ...put, text: 'x'.repeat(8193) }, 'text'],
    [put, { ...put, text: '' }, 'text'],
    [{ ...put, ttl_s: 31_536_000 }, { ...put, ttl_s: 31_536_001 }, 'ttl_s'],
    [{ ...put, ttl_s: 1 }, { ...put, ttl_s: 0 }, 'ttl_s'],
    [{ ...put, tags: Array(16).fill('t') }, { ...put, tags: Array(17).fill('t') }, 'tags'],
    [{ ...put, valid_from: '2026-02-28T00:00:00Z' }, { ...put, valid_from: '2026-13-01T00:00:00Z' }, 'valid_from'],
    [{ ...put, valid_from: '2024-02-29T00:00:00Z' }, { ...put, valid_from: '2026-02-30T00:00:00Z' }, 'valid_from'],
    [{ op: 'search', q: 'q', k: 50 }, { op: 'search', q: 'q', k: 51 }, 'k'],
    [{ op: 'search', q: 'q'.repeat(1024) }, { op: 'search', q: 'q'.repeat(1025) }, 'q'],
  ]
  const { organ } = fresh()
  for (const [good, bad, place] of bounds) {
    assert.equal((await tryOrgan(organ, good)).answer.ok, true)
    await assert.rejects(tryOrgan(organ, bad), (error: { detail: { loc: unknown[] }[] }) =>
      error.detail.some(({ loc }) => loc.includes(place)),
    )
  }
})

test('more than a caller may store is refused, and forgetting makes room', async () => {
  const { run } = fresh()
  const text = (n: number) => `${n} `.padEnd(8192, 'x')
  const many = Math.floor(MAX_RECORD_BYTES / 8400)
  for (let n = 0; n < many; n += 1) await run({ op: 'put', ns: 'a', key: 'k', text: text(n) })
  const over = { code: 'tenant_quota_exceeded' }
  await assert.rejects(async () => {
    for (let n = 0; n < 10; n += 1) await run({ op: 'put', ns: 'a', key: 'k', text: text(n + 1000) })
  }, over)
  await run({ op: 'forget', ns: 'a' })
  const all = MAX_BYTES / 8192
  for (let n = 0; n < all; n += 1) await run({ op: 'put', ns: 'b', key: `k${n}`, text: text(n) })
  await assert.rejects(run({ op: 'put', ns: 'b', key: 'one more', text: 'x' }), over)
  const { answer } = await run({ op: 'forget', ns: 'b' })
  assert.deepEqual([answer.result.forgotten, answer.result.remaining], [1000, all - 1000])
  assert.ok(answer.limits.some(({ code }: { code: string }) => code === 'MORE_REMAIN'))
  await run({ op: 'put', ns: 'b', key: 'one more', text: 'x' })
})
