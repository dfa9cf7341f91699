import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvariantViolation } from '@orch/core'
import fc from 'fast-check'
import { DrainOrder } from './drain-order.ts'

const queued = (rank: number, key: string) => ({ row: { rank, key } })

test('pages in the order of the queue are taken, however they are cut, and an empty one too', () => {
  const place = fc.record({ rank: fc.nat({ max: 20 }), key: fc.constantFrom(...'0123456789abcdef') })
  fc.assert(
    fc.property(
      fc.uniqueArray(place, { selector: ({ rank, key }) => `${rank} ${key}` }),
      fc.integer({ min: 1, max: 5 }),
      (places, size) => {
        const sent = places
          .toSorted((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
          .map(({ rank, key }) => queued(rank, key))
        const order = new DrainOrder()
        for (let at = 0; at < sent.length; at += size) order.take(sent.slice(at, at + size))
        order.take([])
        if (sent.length < 2) return
        const turned = new DrainOrder()
        assert.throws(() => turned.take(sent.toReversed()), InvariantViolation)
      },
    ),
    { seed: 20261116 },
  )
})

test('a page that goes back behind the one before is refused by F7', () => {
  const order = new DrainOrder()
  order.take([queued(1, 'a'), queued(5, 'b')])
  assert.throws(() => order.take([queued(4, 'c')]), { formulaId: 'F7' })
})
