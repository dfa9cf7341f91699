// What is forgotten is gone from the store: on the embedded one no file holds a fragment of it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { onEachStore } from '#testing/organs/organ-stores.ts'
import { memory } from './organ.ts'

const secret = () => randomBytes(32).toString('hex')
const everyStore = onEachStore('memory', (ledger) =>
  memory({ ledger, screen: async () => ({ action: 'allow', findings: [], faults: [] }), secret }),
)

/** Words that occur nowhere else, so that each piece of the text can be told. */
const words = (count: number): string => Array.from({ length: count }, () => randomBytes(6).toString('hex')).join(' ')

const FRAGMENT = 12
function holding(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
  return files.filter((path) => {
    const bytes = readFileSync(path)
    return text.split(' ').some((word) => word.length >= FRAGMENT && bytes.includes(word))
  })
}

everyStore(
  'no file of the store holds a fragment of what was forgotten, and what was not is there',
  async (runs, kind) => {
    const put = (key: string, text: string, ns = 'n') => runs.run({ op: 'put', ns, key, text })
    const [short, long, remaining] = [words(8), words(600), words(600)]
    for (let n = 0; n < 12; n += 1) await put(`around ${n}`, words(1 + ((n * 53) % 600)))
    // Grown and moved several times: earlier places of the row must not stay either.
    const versions = [short, words(40), words(200), long]
    for (const text of versions) await put('gone', text)
    await put('kept', remaining)
    await put('gone too', short, 'm')
    for (let n = 0; n < 12; n += 1) await put(`around ${n}`, words(1 + ((n * 97) % 600)))
    assert.equal((await runs.run({ op: 'search', q: long.slice(0, 40) })).answer.result.hits[0].key, 'gone')
    if (kind === 'sqlite') assert.ok(holding(runs.data, long).length > 0, 'the search finds what is there')
    const { answer } = await runs.run({ op: 'forget', ns: 'n', key: 'gone' })
    await runs.run({ op: 'forget', ns: 'm' })
    assert.deepEqual([answer.result.forgotten, answer.result.versions], [1, 4])
    assert.equal(answer.limits[0].code, kind === 'sqlite' ? 'COPIES_OUTSIDE' : 'WRITE_AHEAD_LOG')
    const gone = async () => {
      if (kind === 'sqlite') for (const text of versions) assert.deepEqual(holding(runs.data, text), [])
      await assert.rejects(runs.run({ op: 'get', ns: 'n', key: 'gone' }), { code: 'record_not_found' })
      const { hits } = (await runs.run({ op: 'search', q: long.slice(0, 40) })).answer.result
      assert.ok(hits.every(({ key }: { key: string }) => key !== 'gone'))
      const rows = await runs.ledger.reader.documents({ space: 'organ.n15.record', order: 'asc', limit: 100 })
      assert.ok(!JSON.stringify(rows).includes(long.slice(0, 12)))
    }
    await gone()
    await runs.restart()
    await gone()
    assert.equal((await runs.run({ op: 'get', ns: 'n', key: 'kept' })).answer.result.record.text, remaining)
  },
)

everyStore('many at once keep every version, and another tenant sees none, also after a restart', async (runs) => {
  const texts = Array.from({ length: 12 }, (_, n) => `text number ${n}`)
  await Promise.all(texts.map((text) => runs.run({ op: 'put', ns: 'n', key: 'k', text })))
  await runs.restart()
  const { versions } = (await runs.run({ op: 'history', ns: 'n', key: 'k' })).answer.result
  assert.deepEqual(
    versions.map(({ version }: { version: number }) => version),
    texts.map((_, n) => 12 - n),
  )
  const other = { owner: 'other' }
  await assert.rejects(runs.run({ op: 'get', ns: 'n', key: 'k' }, other), { code: 'record_not_found' })
  assert.deepEqual((await runs.run({ op: 'search', q: 'text' }, other)).answer.result.hits, [])
})
