import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { runStored } from '#testing/organs/organ-stores.ts'
import { storeInMemory } from '#testing/organs/store-in-memory.ts'
import { countingGauges, tryOrgan } from '#testing/organs/try-organ.ts'
import { toTokens } from '../../../adapters/models/tokens.ts'
import { blockNames, knownRun } from './blocks.ts'
import { entryKey, readSummary, writeEntry } from './entries.ts'
import { cache } from './organ.ts'

const SEED = 19
const GOLDEN = 'be34210581052231a1aa08d8f3007acdb1645029b9f4b930b35050a9e1bac20d'
const allow = async () => ({ action: 'allow', findings: [], faults: [] }) as const

/** A token for each word, so that a test knows how many there are. */
const byWord = async (texts: readonly string[]): Promise<number[][]> =>
  texts.map((text) =>
    text.split(' ').map((word) => [...word].reduce((sum, unit) => (sum * 31 + unit.codePointAt(0)!) % 1_000_003, 7)),
  )

function fresh({ screen = allow as never, tokens = byWord } = {}) {
  const store = storeInMemory()
  let now = Date.UTC(2026, 0, 1)
  const make = () => cache({ ledger: store, screen, toTokens: tokens })
  let organ = make()
  const gauges = { ...countingGauges(), clock: { now: () => now, monotonic: () => 0 } }
  return {
    store,
    example: organ.example,
    later: (seconds: number) => {
      now += seconds * 1000
    },
    restart: () => {
      organ = make()
    },
    run: async (body: Record<string, unknown>, owner = 'local') =>
      (await runStored(store, organ, body, { gauges, owner })).answer,
  }
}

/** Words without likeness, so that only blocks can match. */
const words = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `${((from + at) * 7_654_321).toString(36)}`).join(' ')

test('the example has its golden digest', async () => {
  const { run, example } = fresh({ tokens: toTokens })
  const { request } = example
  const answer = await run(request)
  assert.deepEqual([answer.result.kind, answer.result.stored], ['miss', true])
  assert.equal(answer.result_sha256, GOLDEN)
  const again = await run(request)
  assert.deepEqual([again.result.kind, again.result.stored], ['prefix', false])
})

test('of 40 shared tokens two blocks of 16 are reused, and under another salt or for another tenant none', async () => {
  const { run } = fresh()
  const [first, second] = [`${words(0, 40)} ${words(100, 20)}`, `${words(0, 40)} ${words(200, 20)}`]
  await run({ op: 'lookup', prompt_text: first })
  const { result } = await run({ op: 'lookup', prompt_text: second })
  assert.deepEqual([result.kind, result.blocks_reused, result.tokens_saved], ['prefix', 2, 32])
  const salted = await run({ op: 'lookup', prompt_text: second, salt: 'other' })
  assert.deepEqual([salted.result.kind, salted.result.blocks_reused, salted.result.tokens_saved], ['miss', 0, 0])
  const foreign = await run({ op: 'lookup', prompt_text: second }, 'other')
  assert.deepEqual([foreign.result.kind, foreign.result.blocks_reused], ['miss', 0])
})

test('the run of known blocks is as long as the longest common prefix of any earlier list', () => {
  const tokens = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 24 })
  fc.assert(
    fc.property(fc.array(tokens, { maxLength: 6 }), tokens, fc.integer({ min: 1, max: 5 }), (earlier, asked, size) => {
      const known = new Set(earlier.flatMap((one) => blockNames(one, size, 't', 's')))
      const common = earlier.map((one) => {
        const differs = asked.findIndex((token, at) => token !== one[at])
        return Math.floor((differs < 0 ? asked.length : differs) / size)
      })
      assert.equal(
        knownRun(blockNames(asked, size, 't', 's'), (name) => known.has(name)),
        Math.max(0, ...common),
      )
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('with room for two, the one that was not used for longest goes', async () => {
  const { run } = fresh()
  const put = (text: string) => run({ op: 'put', prompt_text: text, value: `answer ${text}`, capacity: 2 })
  const kind = async (text: string) => (await run({ op: 'lookup', prompt_text: text })).result.kind
  await put('apple')
  await put('banana')
  assert.equal(await kind('apple'), 'exact')
  const { result } = await put('cherry')
  assert.deepEqual([result.entries, result.evicted], [2, 1])
  assert.deepEqual([await kind('apple'), await kind('cherry'), await kind('banana')], ['exact', 'exact', 'miss'])
  const replayed = await run({
    op: 'replay',
    capacity: 2,
    prompts: ['apple', 'banana', 'apple', 'cherry', 'apple', 'banana'].map((text) => ({ text })),
  })
  assert.deepEqual([replayed.result.exact, replayed.result.miss, replayed.result.evictions], [2, 4, 2])
})

test('a text like another gets its answer above the threshold and not below, and a replay counts the false ones', async () => {
  const { run } = fresh()
  await run({ op: 'put', prompt_text: 'What is the capital of France?', value: 'Paris' })
  const near = { op: 'lookup', prompt_text: 'what is the capital of france' }
  const { result } = await run(near)
  assert.deepEqual([result.kind, result.value], ['semantic', 'Paris'])
  const other = { op: 'lookup', prompt_text: 'What is the capital of Frances?' }
  const { similarity } = (await run({ ...other, sim_threshold: 1 })).result
  assert.ok(similarity > 0.5 && similarity < 1)
  assert.equal((await run({ ...other, sim_threshold: 1 })).result.kind, 'miss')
  const replayed = await run({
    op: 'replay',
    sim_threshold: 0.5,
    prompts: [
      { text: 'what is the capital city of france', expected: 'Paris' },
      { text: 'what is the capital city of frances', expected: 'unknown' },
      { text: 'what is the capital city of france?', expected: 'Paris' },
    ],
  })
  assert.deepEqual([replayed.result.semantic, replayed.result.false_hits], [2, 1])
  assert.deepEqual(
    replayed.evidence.readings.map(({ name, value }: { name: string; value: number }) => [name, value]),
    [
      ['lookup_p50', 1000],
      ['lookup_p99', 1000],
    ],
  )
})

test('what expired is no answer, and a new memory of the cache answers as the old one did', async () => {
  const { run, later, restart } = fresh()
  await run({ op: 'put', prompt_text: 'alpha', value: '1', ttl_s: 60 })
  await run({ op: 'put', prompt_text: 'omega', value: '2' })
  restart()
  assert.equal((await run({ op: 'lookup', prompt_text: 'alpha' })).result.value, '1')
  later(60)
  assert.equal((await run({ op: 'lookup', prompt_text: 'alpha' })).result.kind, 'miss')
  assert.equal((await run({ op: 'lookup', prompt_text: 'Omega' })).result.kind, 'semantic')
})

test('many evictions later a memory of the cache still knows what the store holds', async () => {
  const { run, restart } = fresh()
  const put = (n: number) => run({ op: 'put', prompt_text: words(n * 50, 20), value: `${n}`, capacity: 3 })
  const kind = async (n: number) =>
    (await run({ op: 'lookup', prompt_text: words(n * 50, 20), sim_threshold: 1 })).result
  for (let n = 0; n < 160; n += 1) await put(n)
  assert.equal((await kind(159)).kind, 'exact')
  const gone = await kind(3)
  assert.deepEqual([gone.kind, gone.blocks_reused], ['miss', 0])
  restart()
  assert.equal((await kind(158)).kind, 'exact')
})

test('entries whose index would grow too large go as well, those first that were not used for longest', async () => {
  const { run, store } = fresh()
  for (const text of ['apple', 'banana']) await run({ op: 'put', prompt_text: text, value: text })
  const { owner } = [...store.rows.values()][0]!
  const read = await readSummary(store.reader, owner)
  const entry = { salt: '', blocks: [], tokens: 1, text: 'cherry', value: 'c', expires: null }
  const write = (bytes: number) =>
    writeEntry(store.reader, owner, { ...read, bytes }, entryKey(owner, '', 'cherry'), entry, 100, 0)
  const limit = 448 * 1024 * 1024 - 300
  assert.deepEqual([(await write(read.bytes)).evicted, (await write(limit)).evicted], [0, 1])
  const { documents, entries } = await write(limit)
  assert.deepEqual([entries, documents.at(-1)?.key], [2, entryKey(owner, '', 'apple')])
})

test('a secret in the answer or in the prompt is denied and nothing is stored', async () => {
  const screen = async (text: string) =>
    text.includes('hunter2')
      ? { action: 'deny', findings: [{ rule: 'P26', start: 0, end: 7, sample_masked: 'h*****2' }], faults: [] }
      : { action: 'allow', findings: [], faults: [] }
  const { run, store } = fresh({ screen: screen as never })
  for (const body of [
    { prompt_text: 'a', value: 'hunter2' },
    { prompt_text: 'hunter2', value: 'a' },
  ]) {
    const answer = await run({ op: 'put', ...body })
    assert.deepEqual([answer.status, answer.result.stored, store.rows.size], ['DENIED', false, 0])
  }
})

test('another tenant meets nothing, not in counts and not in digests', async () => {
  const { run } = fresh()
  await run({ op: 'put', prompt_text: 'the plan', value: 'secret' })
  const answer = await run({ op: 'lookup', prompt_text: 'the plan' }, 'other')
  assert.deepEqual([answer.result.kind, answer.result.similarity], ['miss', null])
  assert.equal(answer.evidence.readings.find(({ name }: { name: string }) => name === 'entries').value, 0)
  const never = await fresh().run({ op: 'lookup', prompt_text: 'the plan' }, 'other')
  assert.deepEqual(answer.evidence.state, never.evidence.state)
})

test('a prompt is a lookup and equals its written-out form', async () => {
  const { run } = fresh()
  const text = words(0, 40)
  const [prompted, written] = [await run({ prompt: text }), await run({ op: 'lookup', prompt_text: text })]
  assert.equal(prompted.input_sha256, written.input_sha256)
  assert.deepEqual([prompted.result.stored, written.result.kind], [true, 'prefix'])
  assert.equal((await run({ prompt: '\ud83d\ude80'.repeat(4096) })).ok, true)
  assert.equal((await run({ prompt: '\ud83d\ude80'.repeat(8192) })).status, 'NEEDS_INPUT')
})

test('the loop turns while the entries of a cache are loaded', async () => {
  const { run, restart } = fresh()
  const many = 320
  for (let n = 0; n < many; n += 1) await run({ op: 'put', prompt_text: words(n * 50, 40), value: `${n}` })
  restart()
  const { value, turns } = await countTurns(() => run({ op: 'lookup', prompt_text: words(7 * 50, 40) }))
  assert.equal(value.result.value, '7')
  assert.ok(turns >= many / 32, `the loop turned ${turns} times`)
})

test('the vocabulary and the entries are loaded before the deadline of a lookup begins', async () => {
  const store = storeInMemory()
  const tokens: typeof byWord = async (texts) => {
    // Longer than a lookup may take.
    if (texts.length === 0) await pause(1100)
    return byWord(texts)
  }
  const organ = cache({ ledger: store, screen: allow, toTokens: tokens })
  assert.equal((await tryOrgan(organ, { prompt: 'hello' })).answer.status, 'EXECUTED')
})

test('every bound holds at n and is refused at n + 1 with its field', async () => {
  const organ = cache({ ledger: storeInMemory(), screen: allow, toTokens: byWord })
  const put = { op: 'put', prompt_text: 'p', value: 'v' }
  const replay = { op: 'replay', prompts: [{ text: 'x' }] }
  const look = { op: 'lookup', prompt_text: 'p' }
  const many = (count: number) => Array.from({ length: count }, () => ({ text: 'x' }))
  const bounds: [Record<string, unknown>, Record<string, unknown>, string][] = [
    [{ ...look, prompt_text: 'x'.repeat(8192) }, { ...look, prompt_text: 'x'.repeat(8193) }, 'prompt_text'],
    [{ ...look, sim_threshold: 0.5 }, { ...look, sim_threshold: 0.49 }, 'sim_threshold'],
    [{ ...look, sim_threshold: 1 }, { ...look, sim_threshold: 1.01 }, 'sim_threshold'],
    [{ ...look, salt: 's'.repeat(64) }, { ...look, salt: 's'.repeat(65) }, 'salt'],
    [{ ...put, value: 'v'.repeat(8192) }, { ...put, value: 'v'.repeat(8193) }, 'value'],
    [{ ...put, capacity: 10_000 }, { ...put, capacity: 10_001 }, 'capacity'],
    [{ ...put, capacity: 1 }, { ...put, capacity: 0 }, 'capacity'],
    [{ ...put, ttl_s: 1 }, { ...put, ttl_s: 0 }, 'ttl_s'],
    [{ ...replay, block: 256 }, { ...replay, block: 257 }, 'block'],
    [{ ...replay, block: 1 }, { ...replay, block: 0 }, 'block'],
    [{ ...replay, prompts: many(500) }, { ...replay, prompts: many(501) }, 'prompts'],
  ]
  for (const [good, bad, place] of bounds) {
    assert.equal((await tryOrgan(organ, good)).answer.ok, true)
    await assert.rejects(tryOrgan(organ, bad), (error: { detail: { loc: unknown[] }[] }) =>
      error.detail.some(({ loc }) => loc.includes(place)),
    )
  }
})

for (const [what, storedPrompt, asked] of [
  [
    'the order of the words',
    'Is the patient allowed to take ibuprofen with warfarin and aspirin?',
    'Is the patient allowed to take aspirin with warfarin and ibuprofen?',
  ],
  ['negation', 'What is the capital of France?', 'What is not the capital of France?'],
  [
    'numbers',
    'How many people lived in this large old city in 1910?',
    'How many people lived in this large old city in 1911?',
  ],
  [
    'names',
    'Please write a short letter of thanks to Anna in Berlin',
    'Please write a short letter of thanks to Anne in Berlin',
  ],
] as const)
  test(`a prompt that differs from a known one in ${what} is not given its answer`, async () => {
    const { run } = fresh()
    await run({ op: 'put', prompt_text: storedPrompt, value: 'the answer' })
    const near = await run({ op: 'lookup', prompt_text: asked, sim_threshold: 0.5 })
    assert.deepEqual([near.result.kind === 'semantic', near.result.value], [false, undefined])
    assert.deepEqual(
      near.limits.map(({ code, detail }: { code: string; detail: string }) => [code, detail.includes(what)]),
      [['OTHER_QUESTION', true]],
    )
    const again = await run({ op: 'lookup', prompt_text: `${storedPrompt}!`, sim_threshold: 0.5 })
    assert.deepEqual([again.result.kind, again.limits[0].code], ['semantic', 'SIMILAR_NOT_EQUAL'])
  })

test('a replay whose prompts expect nothing knows of no false hits, not of none', async () => {
  const { run } = fresh()
  const replay = (prompts: object[]) => run({ op: 'replay', prompts })
  assert.equal((await replay([{ text: 'one two three' }, { text: 'one two three!' }])).result.false_hits, null)
  assert.equal((await replay([{ text: 'one two three', expected: 'a' }])).result.false_hits, 0)
})
