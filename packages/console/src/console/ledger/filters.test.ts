import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressFault, filtersOf, queryOf, typedFilters, wireFilters } from './filters.ts'

const DEFAULTS = { kind: 'decision', since: '24h' }
const NOW = Date.parse('2026-11-16T10:20:30.456Z')

test('an address that says nothing means the defaults, and any takes one away', () => {
  assert.deepEqual(filtersOf(new URLSearchParams(), DEFAULTS), DEFAULTS)
  assert.deepEqual(filtersOf(new URLSearchParams('kind=any&tool=hash'), DEFAULTS), { since: '24h', tool: 'hash' })
})

test('filters come back from the address they were written to', () => {
  for (const filters of [{}, DEFAULTS, { kind: 'step', since: '7d', q: 'a b&c' }, { since: '24h', agent: 'x/y' }])
    assert.deepEqual(filtersOf(queryOf(filters, DEFAULTS), DEFAULTS), filters)
  assert.equal(queryOf(DEFAULTS, DEFAULTS).toString(), '')
})

test('typed text becomes filters by their names and words for the rest', () => {
  assert.deepEqual(typedFilters(' decision:deny  Tool:refund card number ').filters, {
    decision: 'deny',
    tool: 'refund',
    q: 'card number',
  })
  assert.deepEqual(typedFilters('http://example'), { filters: { q: 'http://example' }, fault: null })
  assert.deepEqual(typedFilters('  '), { filters: {}, fault: null })
})

test('a filter, a gate or an outcome that does not exist is told with what was meant', () => {
  const faultOf = (text: string) => typedFilters(text).fault
  assert.equal(faultOf('agnet:bot'), 'There is no filter agnet, did you mean agent?')
  assert.equal(faultOf('gate:cedar-polcy'), 'There is no gate cedar-polcy, did you mean cedar-policy?')
  assert.match(faultOf('gate:nothing') ?? '', /^There is no gate nothing: sensitivity-lattice, /)
  assert.equal(faultOf('decision:maybe'), 'There is no outcome maybe: allow, held, deny')
  assert.equal(faultOf('decision:Denied gate:lambda-floor'), null)
  assert.match(addressFault(new URLSearchParams('agnet=bot')) ?? '', /agnet was left out/)
  assert.equal(addressFault(new URLSearchParams('agent=bot&kind=any')), null)
})

test('times are taken as people write them', () => {
  const instantOf = (since: string) => wireFilters({ since }, NOW).since
  assert.equal(instantOf('15m'), '2026-11-16T10:05:30.456Z')
  assert.equal(instantOf('24h'), '2026-11-15T10:20:30.456Z')
  assert.equal(instantOf('today'), '2026-11-16T00:00:00.000Z')
  assert.equal(instantOf('yesterday'), '2026-11-15T00:00:00.000Z')
  assert.equal(instantOf('2026-11-15'), '2026-11-15T00:00:00.000Z')
  assert.equal(instantOf('soon'), 'soon')
})

test('on the wire outcomes are those of the ledger', () => {
  for (const word of ['deny', 'Denied', 'DENY']) assert.equal(wireFilters({ decision: word }, NOW).decision, 'DENY')
  assert.equal(wireFilters({ decision: 'held' }, NOW).decision, 'REVIEW')
})
