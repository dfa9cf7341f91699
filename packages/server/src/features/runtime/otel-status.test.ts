import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type OtelFacts, otelStatus } from './otel-status.ts'

const NOW = 10_000_000
const FOUND = { afterHop: true, inReply: true }
const exporter = (over: Partial<OtelFacts['exporter']> = {}): OtelFacts['exporter'] => ({
  originSha256: 'ab'.repeat(32),
  exported: 0,
  failed: 0,
  dropped: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastErrorCode: null,
  ...over,
})
const status = (over: Partial<OtelFacts>) =>
  otelStatus({
    roundTrip: FOUND,
    counts: { started: 2, ended: 1 },
    exporter: exporter(),
    probe: null,
    now: NOW,
    ...over,
  })

type Row = [what: string, facts: Partial<OtelFacts>, status: string, exporter: string, collector: string, by: string]
const rows: Row[] = [
  ['no collector', { exporter: exporter({ originSha256: null }) }, 'DEGRADED', 'NOT_CONFIGURED', 'UNKNOWN', 'NO_PROBE'],
  ['nothing sent yet', {}, 'DEGRADED', 'CONFIGURED', 'UNKNOWN', 'NO_PROBE'],
  ['a good probe', { probe: { at: NOW - 1, ok: true } }, 'LIVE', 'CONFIGURED', 'REACHABLE', 'FRESH_PROBE'],
  [
    'a probe at the limit',
    { probe: { at: NOW - 120_000, ok: true } },
    'LIVE',
    'CONFIGURED',
    'REACHABLE',
    'FRESH_PROBE',
  ],
  ['an old probe', { probe: { at: NOW - 120_001, ok: true } }, 'DEGRADED', 'CONFIGURED', 'UNKNOWN', 'STALE_PROBE'],
  ['a failed probe', { probe: { at: NOW, ok: false } }, 'DEGRADED', 'CONFIGURED', 'UNREACHABLE', 'FRESH_PROBE'],
  [
    'an accepted export',
    { exporter: exporter({ lastSuccessAt: NOW - 5 }) },
    'LIVE',
    'EXPORTING',
    'REACHABLE',
    'EXPORT_ACCEPTED',
  ],
  [
    'an export accepted long ago',
    { exporter: exporter({ lastSuccessAt: NOW - 120_001 }) },
    'DEGRADED',
    'EXPORTING',
    'UNKNOWN',
    'NO_PROBE',
  ],
  [
    'an export refused since the last accepted one',
    { exporter: exporter({ lastSuccessAt: NOW - 50, lastFailureAt: NOW - 10 }) },
    'DEGRADED',
    'FAILING',
    'UNREACHABLE',
    'NO_PROBE',
  ],
  [
    'a failed probe since the last accepted export',
    { exporter: exporter({ lastSuccessAt: NOW - 50 }), probe: { at: NOW - 10, ok: false } },
    'DEGRADED',
    'EXPORTING',
    'UNREACHABLE',
    'FRESH_PROBE',
  ],
  [
    'an export accepted since the last failed probe',
    { exporter: exporter({ lastSuccessAt: NOW - 5 }), probe: { at: NOW - 10, ok: false } },
    'LIVE',
    'EXPORTING',
    'REACHABLE',
    'EXPORT_ACCEPTED',
  ],
]
for (const [what, facts, word, exporting, collector, evidence] of rows)
  test(`with ${what} the status is ${word} and the collector ${collector}`, () => {
    const record = status(facts)
    assert.deepEqual(
      [record.status, record.exporter.state, record.collector.state, record.collector.evidence],
      [word, exporting, collector, evidence],
    )
    assert.equal(record.delivery_asserted, word === 'LIVE')
  })

test('a trace that is lost on the way through this process leaves nothing but what a collector took', () => {
  const lost = { roundTrip: { afterHop: false, inReply: false } }
  assert.deepEqual([status(lost).status, status(lost).in_process.state], ['UNAVAILABLE', 'UNAVAILABLE'])
  assert.equal(status({ roundTrip: { afterHop: true, inReply: false } }).in_process.trace_propagation, 'UNAVAILABLE')
})

test('delivery is asserted only where something was accepted at most two minutes ago', () => {
  const at = fc.option(fc.integer({ min: NOW - 400_000, max: NOW }), { nil: null })
  fc.assert(
    fc.property(at, at, at, fc.boolean(), (lastSuccessAt, lastFailureAt, probed, ok) => {
      const probe = probed === null ? null : { at: probed, ok }
      const { delivery_asserted } = status({ exporter: exporter({ lastSuccessAt, lastFailureAt }), probe })
      const accepted = [lastSuccessAt, ok ? probed : null].filter((time) => time !== null)
      if (delivery_asserted) assert.ok(accepted.some((time) => NOW - time <= 120_000))
    }),
    { seed: 2 },
  )
})
