import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { listen } from './store/postgres/reader.ts'
import { postgresStore } from './store/postgres/store.ts'

test('whoever is told of a commit and fails is told again, and nothing is left unhandled', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const url = await server.createDatabase('listen')
  const store = postgresStore({ url })
  await store.open()
  await store.close()
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  const sizes: number[] = []
  const again = Promise.withResolvers<void>()
  const stop = await listen({ url }, async (size) => {
    sizes.push(size)
    if (sizes.length === 1) throw new Error('the reader is away')
    again.resolve()
  })
  await again.promise
  await stop()
  assert.deepEqual([sizes, unhandled], [[0, 0], []])
})
