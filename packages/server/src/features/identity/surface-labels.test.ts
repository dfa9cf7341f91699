import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capabilitiesOf, surfaceLabels, whyOf } from './surface-labels.ts'

const described = (id: string, labels: string[], alias = false) => ({
  get: { operationId: id, 'x-orch-labels': labels, ...(alias ? { 'x-orch-alias-of': id } : {}) },
})

const description = {
  paths: {
    '/a': described('wow.ledger', ['MEASURED', 'SIMULATED']),
    '/b': described('wow.roi', ['MODELED', 'UNAVAILABLE']),
    '/v1/b': described('wow.roi@/v1/b', ['LIVE'], true),
    '/c': described('receipts.list', []),
    '/d': described('later.thing', ['ROADMAP', 'UNAVAILABLE']),
    '/e': described('gates.list', ['MEASURED', 'UNAVAILABLE']),
    '/f': described('odd.one', ['GUARANTEED', 'LIVE']),
  },
}

test('a surface is graded by the weakest label that comes with a value', () => {
  assert.deepEqual(
    surfaceLabels(description).map(({ name, label, operations }) => [name, label, operations]),
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
  assert.deepEqual(surfaceLabels({}), [])
})

test('the reason names what was declared', () => {
  const [gates, , , receipts] = surfaceLabels(description)
  assert.match(whyOf(gates!), /MEASURED, UNAVAILABLE/)
  assert.match(whyOf(receipts!), /declare no label/)
})

test('pull requests come from the subjects of merges that changed the surface, as numbers and once', () => {
  const merges = [
    { subject: 'Merge pull request #12 from x/#99', surfaces: ['wow'] },
    { subject: 'Try (#7)', surfaces: ['wow', 'gates'] },
    { subject: 'Try again (#7)', surfaces: ['wow'] },
    { subject: 'Fixes #5', surfaces: ['wow'] },
  ]
  const prs = Object.fromEntries(capabilitiesOf(surfaceLabels(description), merges).map(({ name, prs }) => [name, prs]))
  assert.deepEqual(prs, { gates: [7], later: [], odd: [], receipts: [], wow: [7, 12] })
})
