import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import fc from 'fast-check'
import { JUDGED } from '#testing/organs/judged-docs.ts'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { runStored } from '#testing/organs/organ-stores.ts'
import { storeInMemory } from '#testing/organs/store-in-memory.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { type SearchedText, TextIndex } from '../search/io/text-index.ts'
import { fuse } from '../search/rank.ts'
import { readBundled } from './io/bundled.ts'
import { retrieve } from './organ.ts'
import { rankingQuality } from './quality.ts'

const SEED = 9
const GOLDEN = '04d954cefc1fa81dc28fd3b994ee6f038b9d9f588bf97fed762f6223ec0db8a2'
const nothing = { reader: {} } as never
const passages = await readBundled()
const organ = retrieve({ ledger: nothing })
const query = (body: Record<string, unknown>) => tryOrgan(organ, body)
const refused = (body: Record<string, unknown>, place: string) =>
  assert.rejects(query(body), (error: { detail: { loc: unknown[] }[] }) => {
    assert.ok(
      error.detail.some(({ loc }) => loc.slice(1).join('.') === place),
      JSON.stringify(error.detail),
    )
    return true
  })

test('the example has its golden digest', async () => {
  const { answer } = await query({})
  assert.equal(answer.result.hits[0].id, 'offline')
  assert.deepEqual(answer.result.quality, { ndcg: 1, mrr: 1, recall: 1 })
  assert.equal(answer.result_sha256, GOLDEN)
})

test('nDCG and reciprocal rank fusion are the published ones', () => {
  const grades = [3, 2, 3, 0, 1, 2]
  const qrels = Object.fromEntries(grades.map((grade, at) => [`d${at}`, grade]))
  const quality = rankingQuality(
    grades.map((_, at) => `d${at}`),
    qrels,
    10,
  )
  assert.equal(quality?.ndcg.toFixed(6), '0.960808')
  assert.equal(fuse([1, 3], 60).toFixed(6), '0.032266')
  assert.equal(rankingQuality(['a'], { a: 0 }, 10), null)
})

const sectionsOf = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.replace(/~\d+$/u, '')))]

function meanNdcg(rank: (query: string) => string[]): number {
  const each = JUDGED.map(([asked, grades]) => rankingQuality(sectionsOf(rank(asked)), grades, 10)!.ndcg)
  return each.reduce((sum, ndcg) => sum + ndcg, 0) / each.length
}

test('on the judged questions both rankings together are better than words alone, and words agree with BM25 as it is published', (t) => {
  assert.ok(JUDGED.length >= 40)
  const known = new Set(sectionsOf(passages.map(({ id }) => id)))
  for (const [asked, grades] of JUDGED)
    for (const id of Object.keys(grades)) assert.ok(known.has(id), `${asked}: ${id}`)
  const index = new TextIndex(passages)
  const by = (fusion: 'rrf' | 'bm25' | 'vector') =>
    meanNdcg((q) => index.answer({ q, fusion, rrfK: 60, k: 64 }).hits.map(({ id }) => id))
  const [bm25, fused, vector] = [by('bm25'), by('rrf'), by('vector')]
  const other = meanNdcg(plainBm25(passages))
  t.diagnostic(
    `nDCG@10 over ${JUDGED.length} questions: BM25 ${bm25.toFixed(4)}, fused ${fused.toFixed(4)}, vectors ${vector.toFixed(4)}, plain BM25 ${other.toFixed(4)}`,
  )
  assert.ok(fused >= bm25, `${fused} < ${bm25}`)
  assert.ok(Math.abs(bm25 - other) <= 0.01, `${bm25} and ${other}`)
})

/** BM25 by its published formula over the words as SQLite cuts and stems them: nothing of it is code of ours. SQLite's own
 *  `bm25()` has another weight of terms and moves with every document that is added. */
function plainBm25(texts: readonly SearchedText[]): (query: string) => string[] {
  const db = new DatabaseSync(':memory:')
  db.exec("CREATE VIRTUAL TABLE t USING fts5(text, tokenize = 'porter unicode61')")
  db.exec("CREATE VIRTUAL TABLE q USING fts5(text, tokenize = 'porter unicode61')")
  db.exec("CREATE VIRTUAL TABLE words USING fts5vocab(t, 'instance')")
  db.exec("CREATE VIRTUAL TABLE asked USING fts5vocab(q, 'instance')")
  const insert = db.prepare('INSERT INTO t (rowid, text) VALUES (?, ?)')
  for (const [at, { text }] of texts.entries()) insert.run(at + 1, text)
  db.exec('CREATE TABLE counts AS SELECT term, doc, count(*) AS n FROM words GROUP BY term, doc')
  db.exec('CREATE TABLE lengths AS SELECT doc, sum(n) AS length FROM counts GROUP BY doc')
  const ranked = db.prepare(`
    WITH facts AS (SELECT count(*) AS size, avg(length) AS mean FROM lengths),
      holders AS (SELECT term, count(*) AS holders FROM counts GROUP BY term)
    SELECT counts.doc AS doc,
      sum(ln(1 + (size - holders + 0.5) / (holders + 0.5)) * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length / mean))) AS score
    FROM (SELECT DISTINCT term FROM asked) JOIN counts USING (term) JOIN holders USING (term) JOIN lengths USING (doc), facts
    GROUP BY counts.doc ORDER BY score DESC, doc`)
  return (query) => {
    db.exec('DELETE FROM q')
    db.prepare('INSERT INTO q (text) VALUES (?)').run(query)
    return ranked.all().map(({ doc }) => texts[Number(doc) - 1]!.id)
  }
}

test('every digest is of the whole text, every snippet lies where it says, and ranks follow from scores', async () => {
  const word = fc.constantFrom(
    'receipt',
    'ledger',
    'naïve',
    '漢字',
    'über',
    '\u0002',
    '"',
    'OR',
    '\ud83d\ude80',
    'NEAR(',
  )
  const text = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(' '))
  const docs = fc.array(text, { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(docs, text, fc.integer({ min: 1, max: 50 }), async (texts, q, k) => {
      const given = texts.map((one, at) => ({ id: `d${at}`, text: one }))
      const { answer } = await query({ q, docs: given, k })
      const { hits } = answer.result
      assert.ok(hits.length <= k)
      for (const [at, hit] of hits.entries()) {
        const source = given.find(({ id }) => id === hit.id)!.text
        assert.equal(hit.sha256, sha256Hex(source))
        assert.equal(hit.snippet, source.slice(hit.start, hit.end))
        assert.ok(hit.snippet.isWellFormed())
        if (at > 0) assert.ok(hits[at - 1].score >= hit.score)
      }
    }),
    { seed: SEED, numRuns: 60 },
  )
})

test('operators of the full-text engine are plain words', async () => {
  const docs = [
    { id: 'a', text: 'alpha beta' },
    { id: 'b', text: 'NOT near a gamma' },
  ]
  for (const q of [
    '"',
    '*',
    'alpha NOT beta',
    'NEAR(alpha beta)',
    'text: alpha',
    '^alpha',
    'a" OR "b',
    "'; DROP TABLE texts",
    '--',
  ])
    assert.equal((await query({ q, docs, fusion: 'bm25' })).answer.status, 'EXECUTED', q)
  const { answer } = await query({ q: 'alpha NOT beta', docs, fusion: 'bm25' })
  assert.deepEqual(
    answer.result.hits.map(({ id }: { id: string }) => id),
    ['a', 'b'],
  )
})

test('vectors of the caller rank by cosine, and unequal lengths are refused at their place', async () => {
  const docs = [
    { id: 'x', text: 'one', vector: [1, 0] },
    { id: 'y', text: 'two', vector: [0.6, 0.8] },
    { id: 'z', text: 'three', vector: [-1, 0] },
  ]
  const body = { q: 'nothing', docs, vectors: 'caller', fusion: 'vector', q_vector: [1, 0] }
  const { answer } = await query(body)
  assert.deepEqual(
    answer.result.hits.map(({ id, score }: { id: string; score: number }) => [id, score]),
    [
      ['x', 1],
      ['y', 0.6],
    ],
  )
  await refused({ ...body, docs: [...docs.slice(0, 2), { id: 'z', text: 't', vector: [1] }] }, 'docs.2.vector')
  await refused({ ...body, q_vector: [1, 0, 0] }, 'docs.0.vector')
  await refused({ ...body, q_vector: undefined, vectors: 'caller' }, 'q_vector')
  await refused({ q: 'a', docs: [{ id: 'a', text: 'a' }], vectors: 'model' }, 'vectors')
})

test('every bound holds at n and is refused at n + 1 with its field', async () => {
  const doc = { id: 'a', text: 'x' }
  const docs = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `d${at}`, text: 'x' }))
  const limitCases: [Record<string, unknown>, Record<string, unknown>, string][] = [
    [{ q: 'q'.repeat(1024) }, { q: 'q'.repeat(1025) }, 'q'],
    [{ docs: docs(64) }, { docs: docs(65) }, 'docs'],
    [{ docs: [{ ...doc, text: 'x'.repeat(4096) }] }, { docs: [{ ...doc, text: 'x'.repeat(4097) }] }, 'docs.0.text'],
    [{ docs: [{ ...doc, id: 'i'.repeat(128) }] }, { docs: [{ ...doc, id: 'i'.repeat(129) }] }, 'docs.0.id'],
    [{ k: 50 }, { k: 51 }, 'k'],
    [{ k: 1 }, { k: 0 }, 'k'],
    [{ rrf_k: 1000 }, { rrf_k: 1001 }, 'rrf_k'],
    [{ rrf_k: 1 }, { rrf_k: 0 }, 'rrf_k'],
    [{ qrels: { a: 3 } }, { qrels: { a: 4 } }, 'qrels.a'],
  ]
  for (const [good, bad, place] of limitCases) {
    assert.equal((await query({ q: 'x', docs: [doc], ...good })).answer.status, 'EXECUTED')
    await refused({ q: 'x', docs: [doc], ...bad }, place)
  }
  await refused({ q: 'x', docs: [doc, doc] }, 'docs.1.id')
  await refused({ q: 'x' }, 'docs')
  await refused({ q: 'x', docs: [doc], collection: '@docs' }, 'docs')
  await refused({ op: 'index', collection: '@docs', docs: [doc] }, 'collection')
})

test('the loop turns while an index of many documents is built, and while a hard query is answered', async () => {
  const store = storeInMemory()
  const stored = retrieve({ ledger: store })
  const many = 640
  const text = (n: number) => Array.from({ length: 300 }, (_, at) => `word${(n * at) % 97}`).join(' ')
  for (let from = 0; from < many; from += 20) {
    const docs = Array.from({ length: 20 }, (_, at) => ({ id: `d${from + at}`, text: text(from + at) }))
    await runStored(store, stored, { op: 'index', collection: 'c', docs })
  }
  const ask = (q: string) => countTurns(() => tryOrgan(stored, { q, collection: 'c' }))
  const first = await ask('word7')
  assert.equal(first.value.answer.result.documents, many)
  assert.ok(first.turns >= many / 32, `the loop turned ${first.turns} times`)
  const hard = await ask(Array.from({ length: 64 }, (_, n) => `word${n}`).join(' '))
  assert.ok(hard.turns >= 3, `the loop turned ${hard.turns} times`)
})

test('a prompt searches the documentation and equals its written-out form', async () => {
  const [short, long] = ['how do I restore a backup', `${'x'.repeat(1023)}\ud83d\ude80 more`]
  const { answer } = await query({ prompt: short })
  const written = await query({ op: 'query', q: short, collection: '@docs' })
  assert.deepEqual(
    [answer.input_sha256, answer.result_sha256],
    [written.answer.input_sha256, written.answer.result_sha256],
  )
  assert.equal(answer.result.hits[0].id, 'docs/backup.md#restore')
  assert.equal((await query({ prompt: long.slice(0, 1023) })).answer.status, 'EXECUTED')
  assert.equal((await query({ prompt: long })).answer.status, 'NEEDS_INPUT')
})

test('without the documentation a prompt finds nothing and says so', async () => {
  const bare = retrieve({ ledger: nothing, docsFolder: '/nonexistent/docs' })
  const { answer } = await tryOrgan(bare, { prompt: 'backup' })
  assert.deepEqual([answer.result.hits, answer.limits[0].code], [[], 'DOCS_ABSENT'])
})

test('of equal queries at once only the one that built the index carries its reading', async () => {
  const body = { q: 'restore', docs: [{ id: 'a', text: 'restore a backup of the ledger' }] }
  const answers = await Promise.all(Array.from({ length: 6 }, () => query(body)))
  const built = answers.filter(({ answer }) =>
    answer.evidence.readings.some(({ name }: { name: string }) => name === 'index'),
  )
  assert.equal(built.length, 1)
  assert.equal(new Set(answers.map(({ answer }) => answer.result_sha256)).size, 1)
})
