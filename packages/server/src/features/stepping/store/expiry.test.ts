import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentQuery, LedgerReader } from '../../../ledger/contract.ts'
import { IDLE_MS, idleSessions, nameOf, SESSION_SPACE } from './session-documents.ts'

const NOW = Date.parse('2026-03-01T00:00:00.000Z')
const place = { namespace: 'team', owner: 'a/b', sessionId: 'old' }

test('an idle session is closed at the version that was read and gives back its place', async () => {
  const asked: DocumentQuery[] = []
  const at = new Date(NOW - IDLE_MS).toISOString()
  const value = JSON.stringify({ session_id: 'old', step: 3, updated_at: at })
  const row = { space: SESSION_SPACE, key: nameOf(place), version: 7, owner: 'team/a/b', nodeIndex: 2 }
  const reader = {
    async documents(query: DocumentQuery) {
      asked.push(query)
      return [{ ...row, state: 'ACTIVE', rank: NOW - IDLE_MS, value }]
    },
  } as unknown as LedgerReader
  const [closing] = await idleSessions(reader, NOW)
  assert.deepEqual([asked[0]?.state, asked[0]?.upTo], ['ACTIVE', NOW - IDLE_MS])
  const [write] = closing!.documents
  assert.deepEqual([write?.key, write?.expect, write?.state, write?.owner], [row.key, 7, 'EXPIRED', 'team/a/b'])
  assert.equal(write?.rank, NOW - IDLE_MS, 'it does not look used')
  assert.deepEqual(
    closing!.counters.map(({ space, add }) => [space, add]),
    [
      ['gdw.quota.sessions', -1],
      ['gdw.quota.sessions', -1],
    ],
  )
})
