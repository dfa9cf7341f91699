// The cache on every store: it survives a restart, keeps to its room under many writers, and crosses no tenant.
import assert from 'node:assert/strict'
import { onEachStore } from '#testing/organs/organ-stores.ts'
import { cache } from './organ.ts'

const everyStore = onEachStore('cache', (ledger) =>
  cache({
    ledger,
    screen: async () => ({ action: 'allow', findings: [], faults: [] }),
    toTokens: async (texts) => texts.map((text) => [...text].map((unit) => unit.codePointAt(0)!)),
  }),
)

everyStore(
  'entries of many writers are kept to the room there is, also after a restart and not for others',
  async (runs) => {
    const texts = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(20))
    await Promise.all(texts.map((text) => runs.run({ op: 'put', prompt_text: text, value: text, capacity: 5 })))
    await runs.restart()
    const kinds: string[] = []
    for (const text of texts) {
      const { result } = (await runs.run({ op: 'lookup', prompt_text: text, sim_threshold: 1, dry_run: true })).answer
      kinds.push(result.kind)
      const other = await runs.run({ op: 'lookup', prompt_text: text, dry_run: true }, { owner: 'other' })
      assert.deepEqual([other.answer.result.kind, other.answer.result.blocks_reused], ['miss', 0])
    }
    assert.equal(kinds.filter((kind) => kind === 'exact').length, 5)
    assert.equal(kinds.filter((kind) => kind === 'miss').length, 3)
  },
)
