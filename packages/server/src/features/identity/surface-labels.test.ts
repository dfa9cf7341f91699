import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label } from '@orch/core'
import { explainLabel, listCapabilities, surfaceLabels } from './surface-labels.ts'

const catalog: { id: string; labels: Label[] }[] = [
  { id: 'wow.ledger', labels: ['MEASURED', 'SIMULATED'] },
  { id: 'wow.roi', labels: ['MODELED', 'UNAVAILABLE'] },
  { id: 'receipts.list', labels: [] },
  { id: 'later.thing', labels: ['ROADMAP', 'UNAVAILABLE'] },
  { id: 'gates.list', labels: ['MEASURED', 'UNAVAILABLE'] },
  { id: 'odd.one', labels: ['GUARANTEED' as Label, 'LIVE'] },
]

test('a surface is graded by the weakest label that comes with a value', () => {
  assert.deepEqual(
    surfaceLabels(catalog).map(({ name, label, operations }) => [name, label, operations]),
    [
      ['gates', 'MEASURED', 1],
      ['later', 'ROADMAP', 1],
      ['odd', 'LIVE', 1],
      ['receipts', 'STRUCTURAL-ONLY', 1],
      ['wow', 'SIMULATED', 2],
    ],
  )
})

test('nothing mounted is nothing listed', () => {
  assert.deepEqual(surfaceLabels([]), [])
})

test('the reason names what was declared', () => {
  const [gates, , , receipts] = surfaceLabels(catalog)
  assert.match(explainLabel(gates!), /MEASURED, UNAVAILABLE/)
  assert.match(explainLabel(receipts!), /declare no label/)
})

test('pull requests come from the subjects of merges that changed the surface, as numbers and once', () => {
  const merges = [
    { subject: 'Merge pull request #12 from x/#99', surfaces: ['wow'] },
    { subject: 'Try (#7)', surfaces: ['wow', 'gates'] },
    { subject: 'Try again (#7)', surfaces: ['wow'] },
    { subject: 'Fixes #5', surfaces: ['wow'] },
  ]
  const prs = Object.fromEntries(listCapabilities(surfaceLabels(catalog), merges).map(({ name, prs }) => [name, prs]))
  assert.deepEqual(prs, { gates: [7], later: [], odd: [], receipts: [], wow: [7, 12] })
})
