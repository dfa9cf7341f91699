import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Link, LinkedList } from './linked-list.ts'

test('a linked list holds what was added and not removed, in the order in which it came', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), (steps) => {
      const list = new LinkedList<number>()
      const links: Link<number>[] = []
      const model: number[] = []
      for (const [at, step] of steps.entries()) {
        // Removes the member at that place where there is one, else adds one.
        const link = step % 2 === 0 ? links.splice(step / 2, 1)[0] : undefined
        if (link === undefined) {
          links.push(list.add(at))
          model.push(at)
        } else {
          model.splice(step / 2, 1)
          list.remove(link)
          assert.deepEqual(link, { value: null, before: null, after: null })
        }
        assert.deepEqual([...list], model)
      }
    }),
    { seed: 22, numRuns: 300 },
  )
})

test('a walk over a linked list gives the rest whichever members are removed meanwhile, and never a removed one', () => {
  for (const gone of [['a'], ['b'], ['c'], ['a', 'b'], ['b', 'c'], ['d'], ['b', 'c', 'd']]) {
    const list = new LinkedList<string>()
    const links = new Map(['a', 'b', 'c', 'd'].map((name) => [name, list.add(name)]))
    const seen: string[] = []
    for (const name of list) {
      seen.push(name)
      if (name === 'a') for (const one of gone) list.remove(links.get(one)!)
    }
    assert.deepEqual(seen, ['a', ...['b', 'c', 'd'].filter((name) => !gone.includes(name))])
    assert.deepEqual(
      [...list],
      ['a', 'b', 'c', 'd'].filter((name) => !gone.includes(name)),
    )
  }
})
