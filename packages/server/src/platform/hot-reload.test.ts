import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hotReload, type ReloadableSet } from './hot-reload.ts'

interface Watched {
  disk: string
  active: string
  reloads: string[]
  reported: object[]
}

/** A set of one word; words that begin with x cannot be used. `during` comes while it is watched whether it is stable. */
function watched(during: (set: Watched) => void = () => undefined): { set: Watched; look: () => Promise<void> } {
  const set: Watched = { disk: 'a', active: 'a', reloads: [], reported: [] }
  let failed: string | null = null
  const folder: ReloadableSet = {
    name: 'rules',
    where: 'in a folder',
    async onDisk() {
      const found = set.disk
      during(set)
      return found
    },
    async reload() {
      set.reloads.push(set.disk)
      failed = set.disk.startsWith('x') ? 'not usable' : null
      if (failed === null) set.active = set.disk
    },
    active: () => ({ digest: set.active, reload_failed: failed }),
  }
  return { set, look: hotReload(folder, ({ name }, active) => set.reported.push({ name, ...active }), 1) }
}

test('what changed is active after a look, and is reported once', async () => {
  const { set, look } = watched()
  await look()
  assert.deepEqual([set.active, set.reported], ['a', []])
  set.disk = 'b'
  await look()
  await look()
  assert.deepEqual([set.active, set.reported], ['b', [{ name: 'rules', digest: 'b', reload_failed: null }]])
})

test('what cannot be used is reported with what stays active, and so is its repair', async () => {
  const { set, look } = watched()
  await look()
  for (const disk of ['xb', 'a']) {
    set.disk = disk
    await look()
  }
  const reported = (reload_failed: string | null) => ({ name: 'rules', digest: 'a', reload_failed })
  assert.deepEqual([set.active, set.reported], ['a', [reported('not usable'), reported(null)]])
})

test('a set that is still being copied is not read before it is stable', async () => {
  let copying = 3
  const { set, look } = watched((one) => {
    if (one.disk === 'a' || copying === 0) return
    copying -= 1
    one.disk += '+'
  })
  await look()
  set.disk = 'b'
  for (let times = 0; times < 4; times += 1) await look()
  assert.deepEqual([...new Set(set.reloads)], ['a', 'b+++'])
})
