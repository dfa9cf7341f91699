import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '../digest.ts'
import { LOCKED_FORMULAS, type LockedFormula } from '../doctrine.ts'
import { decodeShards, encodeShards } from '../erasure.ts'
import { checkFormula, checkFormulas, runProperty } from './check.ts'
import { IMPLEMENTATIONS, type Implementations } from './properties.ts'
import { sfc32 } from './sfc32.ts'

test('the eight checks run 200 cases each and find nothing', (t) => {
  const started = performance.now()
  const checks = checkFormulas()
  t.diagnostic(`the whole set took ${(performance.now() - started).toFixed(1)} ms (aim: under 150)`)
  assert.deepEqual(
    checks.map(({ formula_id }) => formula_id),
    [...LOCKED_FORMULAS],
  )
  for (const check of checks) assert.deepEqual(check.counterexamples, [], check.formula_id)
  assert.ok(checks.every(({ passed, checked_cases, seed }) => passed && checked_cases === 200 && seed === 1))
})

test('a record of a check has exactly the agreed fields', () => {
  assert.deepEqual(checkFormula('F4', 7, 10), {
    formula_id: 'F4',
    checked_cases: 10,
    counterexamples: [],
    passed: true,
    seed: 7,
    label: 'MEASURED',
    label_detail: 'property check, not a proof',
  })
})

test('no seed of the first fifty finds a counterexample', () => {
  for (let seed = 0; seed < 50; seed += 1)
    assert.ok(
      checkFormulas(seed, 20).every(({ passed }) => passed),
      `seed ${seed}`,
    )
})

let calls = 0
const right = IMPLEMENTATIONS
const mutants: { [Id in LockedFormula]: Record<string, Implementations[Id]> } = {
  F1: {
    'a digest that counts its calls': {
      ...right.F1,
      digestOf: (value) => sha256Hex(`${++calls}${JSON.stringify(value)}`),
    },
    'a digest of JSON in the order of insertion': {
      ...right.F1,
      digestOf: (value) => sha256Hex(JSON.stringify(value)),
    },
    'a digest that is always the same': { ...right.F1, digestOf: () => '0'.repeat(64) },
    'a replay that compares the first digit of a digest': {
      ...right.F1,
      replays: (stored, digest) => sha256Hex(stored)[0] === digest[0],
    },
    'a replay that takes everything': { ...right.F1, replays: () => true },
  },
  F4: {
    'a guard that lets everything through': () => undefined,
    'a guard that lets a node point to itself': (prev, index) => (prev === index ? undefined : right.F4(prev, index)),
    'a guard that refuses everything': () => right.F4(1, 0),
  },
  F7: {
    'a guard that looks at the lengths alone': (sent, drained) =>
      drained.length > sent.length ? right.F7([], [1]) : undefined,
    'a guard that compares as sets': (sent, drained) =>
      drained.every((sequence) => sent.includes(sequence)) ? undefined : right.F7([], [1]),
  },
  F11: {
    'a ledger that takes unbalanced postings': (balances, postings) => {
      const after = new Map(balances)
      for (const { account, micros } of postings) after.set(account, (after.get(account) ?? 0n) + micros)
      return after
    },
    'a ledger that keeps balances as doubles': (balances, postings) => {
      const after = right.F11(balances, postings)
      return new Map([...after].map(([account, micros]) => [account, BigInt(Number(micros))]))
    },
  },
  F12: {
    'a sum in doubles': (weights, scores) =>
      BigInt(weights.reduce((sum, weight, i) => sum + Number(weight) * Number(scores[i]), 0)),
    'a sum that is always zero': () => 0n,
    'a sum that drops the last term': (weights, scores) => right.F12(weights.slice(1), scores.slice(1)),
  },
  F18: {
    'a decoder that drops the last byte': {
      encode: encodeShards,
      decode: (shards, bytes) => {
        const result = decodeShards(shards, bytes)
        return result.ok ? { ok: true, data: result.data.map((byte, i) => (i === 0 ? byte ^ 1 : byte)) } : result
      },
    },
    'a decoder that makes up what it lacks': {
      encode: encodeShards,
      decode: (shards, bytes) =>
        decodeShards(
          shards.map((shard) => shard ?? new Uint8Array(Math.ceil(bytes / 6))),
          bytes,
        ),
    },
  },
  F19: {
    'a budget without a cap': {
      ...right.F19,
      spend: ({ spent, cap }, amount) =>
        amount < 0n ? right.F19.spend({ spent, cap }, amount) : { spent: spent + amount, cap },
    },
    'a budget that takes refunds': {
      ...right.F19,
      spend: ({ spent, cap }, amount) =>
        amount < 0n ? { spent: spent + amount, cap } : right.F19.spend({ spent, cap }, amount),
    },
    'a question that looks at the amount alone': { ...right.F19, affords: ({ cap }, amount) => amount <= cap },
    'a question that leaves out the last unit': {
      ...right.F19,
      affords: ({ spent, cap }, amount) => amount >= 0n && spent + amount < cap,
    },
    'a question that takes refunds': { ...right.F19, affords: ({ spent, cap }, amount) => spent + amount <= cap },
  },
  F22: {
    'a log that may skip': (previous, next) => (next > previous ? undefined : right.F22(previous, next)),
    'a log that may repeat': (previous, next) => (next === previous ? undefined : right.F22(previous, next)),
  },
}
for (const id of LOCKED_FORMULAS)
  for (const [what, broken] of Object.entries(mutants[id]))
    test(`${id}: ${what} is shown a counterexample`, () => {
      const { passed, counterexamples } = checkFormula(id, 1, 200, broken as never)
      assert.equal(passed, false)
      assert.ok(counterexamples.length >= 1 && counterexamples.length <= 3)
    })

test('an implementation that throws something else is a counterexample, not a crash', () => {
  const check = checkFormula('F22', 1, 5, () => {
    throw new TypeError('no such thing')
  })
  assert.match(check.counterexamples[0] ?? '', /it threw no such thing/)
})

test('a run of no cases is misuse', () => {
  assert.throws(() => runProperty('x', () => null, 1, 0), RangeError)
})

test('the generator gives the same draws for the same parameters and others for others', () => {
  const draw = (seed: number) => Array.from({ length: 4 }, sfc32('a', { seed }).next)
  assert.deepEqual(draw(1), draw(1))
  assert.notDeepEqual(draw(1), draw(2))
  const random = sfc32('b', {})
  for (let i = 0; i < 1000; i += 1) {
    const [uniform, below] = [random.uniform(), random.below(7)]
    assert.ok(uniform >= 0 && uniform < 1 && Number.isInteger(below) && below >= 0 && below < 7)
  }
})
