import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hotReload, type ReloadableSet } from './hot-reload.ts'

interface Watched {
  disk: string
  charge: string
  requestHeaders: string[]
  told: object[]
}

/** A set of one word; words that begin with x cannot be used. `during` comes while it is watched whether it stands still. */
function watched(during: (set: Watched) => void = () => undefined): { set: Watched; look: () => Promise<void> } {
  const set: Watched = { disk: 'a', charge: 'a', requestHeaders: [], told: [] }
  let failed: string | null = null
  const folder: ReloadableSet = {
    name: 'rules',
    async onDisk() {
      const found = set.disk
      during(set)
      return found
    },
    async reload() {
      set.requestHeaders.push(set.disk)
      failed = set.disk.startsWith('x') ? 'not usable' : null
      if (failed === null) set.charge = set.disk
    },
    inCharge: () => ({ digest: set.charge, reload_failed: failed }),
  }
  return { set, look: hotReload(folder, (name, inCharge) => set.told.push({ name, ...inCharge }), 1) }
}

test('what changed is in charge after a look, and is told once', async () => {
  const { set, look } = watched()
  await look()
  assert.deepEqual([set.charge, set.told], ['a', []])
  set.disk = 'b'
  await look()
  await look()
  assert.deepEqual([set.charge, set.told], ['b', [{ name: 'rules', digest: 'b', reload_failed: null }]])
})

test('what cannot be used is told with what stays in charge, and so is its repair', async () => {
  const { set, look } = watched()
  await look()
  for (const disk of ['xb', 'a']) {
    set.disk = disk
    await look()
  }
  const told = (reload_failed: string | null) => ({ name: 'rules', digest: 'a', reload_failed })
  assert.deepEqual([set.charge, set.told], ['a', [told('not usable'), told(null)]])
})

test('a set that is still being copied is not read before it stands still', async () => {
  let copying = 3
  const { set, look } = watched((one) => {
    if (one.disk === 'a' || copying === 0) return
    copying -= 1
    one.disk += '+'
  })
  await look()
  set.disk = 'b'
  for (let times = 0; times < 4; times += 1) await look()
  assert.deepEqual([...new Set(set.requestHeaders)], ['a', 'b+++'])
})
