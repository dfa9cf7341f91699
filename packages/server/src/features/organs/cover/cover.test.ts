// N6: premiums that multiply out, a policy that refuses what its state does not allow, published reserves, known moments.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Big from 'big.js'
import fc from 'fast-check'
import { docQuestion } from '#testing/organs/doc-question.ts'
import { testCompute } from '#testing/organs/live-gates.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { inverseNormal } from '../random.ts'
import { EVENTS } from './lifecycle.ts'
import { cover } from './organ.ts'
import { amountAt, quantilePieces } from './portfolio.ts'
import manual from './rates.json' with { type: 'json' }
import TAYLOR_ASHE from './taylor-ashe.json' with { type: 'json' }

const organ = cover({ compute: testCompute(after) })
const ask = async (body: Record<string, unknown>) => (await tryOrgan(organ, body)).answer
const fault = (body: Record<string, unknown>) =>
  tryOrgan(organ, body).then(
    () => assert.fail(`the request was taken: ${JSON.stringify(body).slice(0, 300)}`),
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail[0]!.loc.slice(1).join('.')
    },
  )
const GOLDEN = 'c48e78f71f5a89503256a5d3717f0f06cc80ef752f4f0e8274cd575412977b74'
const HOME = { op: 'quote', line: 'home', exposure: '350000', limit: '300000', deductible: '1000' }

test('the question of a reserving actuary has the answer that the documentation shows', async () => {
  const { request, shows } = docQuestion('n6')
  assert.partialDeepStrictEqual((await ask(request)).result, shows)
})

test('the example gives the golden result, simulated and said to be so', async () => {
  const answer = await ask({})
  assert.equal(answer.result_sha256, GOLDEN)
  assert.deepEqual([answer.status, answer.evidence_class], ['EXECUTED', 'SIMULATED'])
  assert.ok(answer.evidence.not_real[0].includes('made up'))
})

test('a premium is worked out by hand: value x base x masonry x territory x insured share x deductible', async () => {
  // 300,000 of 350,000 is 0.857142..., between 0.8 (0.96) and 1 (1.00): 0.96 + 0.2857 x 0.04 = 0.9714.
  const { result } = await ask({})
  assert.equal(result.premium, (350_000 * 0.0034 * 0.88 * 1.15 * 0.9714).toFixed(2))
  assert.deepEqual([result.rates_effective, result.valid_until], ['2026-01-01', '2026-01-31'])
})

test('the factors of a breakdown multiply to the premium to the cent', async () => {
  const amount = (max: number) => fc.integer({ min: 1, max }).map((units) => new Big(units).div(100).toFixed())
  const relativity = fc.integer({ min: 1, max: 100_000 }).map((units) => new Big(units).div(10_000).toFixed())
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('auto', 'home', 'gl'),
      amount(99_999_999_999),
      fc.integer({ min: 100_000, max: 5_000_000 }),
      fc.integer({ min: 0, max: 10_000 }),
      fc.dictionary(fc.constantFrom('territory', 'tier', 'loyalty'), relativity),
      async (line, exposure, limit, deductible, factors) => {
        const { result } = await ask({
          ...HOME,
          line,
          exposure,
          limit: `${limit}`,
          deductible: `${deductible}`,
          factors,
        })
        // In whole numbers of the last place, so that nothing of it is the arithmetic under test.
        let [digits, places] = [1n, 0]
        for (const { factor } of result.breakdown as { factor: string }[]) {
          const [whole, part = ''] = factor.split('.')
          digits *= BigInt(`${whole}${part}`)
          places += part.length
        }
        const unit = 10n ** BigInt(Math.max(0, places - 2))
        const cents = places < 2 ? digits * 10n ** BigInt(2 - places) : (digits + unit / 2n) / unit
        assert.equal(BigInt(result.premium.replace('.', '')), cents)
      },
    ),
    { seed: 6, numRuns: 200 },
  )
})

test('the manual is consistent: limit factors rise ever more slowly, deductible credits fall ever more slowly', () => {
  for (const { limit, deductible } of Object.values(manual.lines)) {
    for (const [table, sign] of [
      [limit, 1],
      [deductible, -1],
    ] as const) {
      const slopes = table.slice(1).map(([amount, factor], at) => {
        const [low, from] = table[at]!
        return (sign * (Number(factor) - Number(from))) / (Number(amount) - Number(low!))
      })
      assert.ok(
        slopes.every((slope, at) => slope > 0 && slope < (slopes[at - 1] ?? Infinity)),
        String(slopes),
      )
    }
  }
})

test('the edition of the manual is the one in force, and a limit above the value is not charged for', async () => {
  const [old, now] = [await ask({ ...HOME, as_of: '2025-12-31' }), await ask({ ...HOME, as_of: '2026-01-01' })]
  assert.deepEqual([old.result.rates_effective, now.result.rates_effective], ['2025-01-01', '2026-01-01'])
  const [full, over] = [await ask({ ...HOME, limit: '350000' }), await ask({ ...HOME, limit: '700000' })]
  assert.equal(full.result.premium, over.result.premium)
  assert.ok(over.limits.some(({ code }: { code: string }) => code === 'OVER_INSURED'))
})

test('money as a number, a level that there is not and an amount that the manual does not rate are refused', async () => {
  for (const [at, change] of [
    ['exposure', { exposure: 350_000 }],
    ['exposure', { exposure: '0' }],
    ['exposure', { exposure: '350000.12345' }],
    ['exposure', { exposure: '-1' }],
    ['exposure', { exposure: '1e5' }],
    ['limit', { limit: 300_000.5 }],
    ['limit', { limit: '0.00' }],
    ['limit', { line: 'auto', exposure: '1', limit: '9999.99', deductible: '500' }],
    ['limit', { line: 'auto', exposure: '1', limit: '5000000.01', deductible: '500' }],
    ['deductible', { deductible: '50000.01' }],
    ['deductible', { limit: '1000', deductible: '1000' }],
    ['line', { line: 'marine' }],
    ['as_of', { as_of: '2026-02-29' }],
    ['as_of', { as_of: '2024-12-31' }],
    ['as_of', { as_of: 'today' }],
    ['factors.construction', { factors: { construction: 'straw' } }],
    ['factors.territory', { factors: { territory: 'north' } }],
    ['factors.territory', { factors: { territory: '0' } }],
    ['factors.territory', { factors: { territory: '10.0001' } }],
    ['factors.territory', { factors: { territory: 1.1 } }],
    ['factors.base', { factors: { base: '0.5' } }],
    ['factors.constructor', { factors: { constructor: 'name' } }],
    ['factors', { factors: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`f${n}`, '1'])) }],
  ] as const)
    assert.equal(await fault({ ...HOME, ...change }), at)
  for (const change of [
    { line: 'auto', exposure: '1', limit: '10000', deductible: '500' },
    { line: 'auto', exposure: '1', limit: '5000000', deductible: '10000' },
    { deductible: '50000' },
    { limit: '1000', deductible: '999.99' },
    { as_of: '2028-02-29' },
    { factors: { territory: '10' } },
    { factors: Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`f${n}`, '1'])) },
  ])
    assert.equal((await ask({ ...HOME, ...change })).status, 'EXECUTED')
})

test('a prompt has the digests of its written-out form, and what it lacks is asked for', async () => {
  const [prompt, written] = [await ask({ prompt: 'home 350000 limit 300000 deductible 1000' }), await ask(HOME)]
  assert.deepEqual([prompt.input_sha256, prompt.result_sha256], [written.input_sha256, written.result_sha256])
  const signs = await ask({ prompt: 'home: value=350000, limit=300000, (deductible 1000)!' })
  assert.equal(signs.result_sha256, written.result_sha256)
  const cars = await ask({ prompt: 'Auto for 2 cars: limit $100k, deductible 500' })
  assert.deepEqual([cars.result.line, cars.result.premium], ['auto', '1344.00'])
  const sales = await ask({ prompt: 'general liability, sales 1,250,000.50, limit 1.5m, deductible 5,000' })
  assert.deepEqual([sales.result.breakdown[0].factor, sales.result.breakdown[2].level], ['1250000.5', '1500000'])
  for (const [text, fields] of [
    ['hello', ['line', 'exposure', 'limit', 'deductible']],
    ['home limit 300000', ['exposure', 'deductible']],
    ['home 1 2 limit 300000 deductible 1000', ['exposure']],
    ['home auto 350000 limit 300000 deductible 1000', ['line']],
    ['home 350000 limit 300000 deductible 300000', ['deductible']],
    ['auto 1 limit 9 deductible 1', ['limit']],
    ['home 0 limit 300000 deductible 1000', ['exposure']],
    ['home 9999999999999 limit 300000 deductible 1000', ['exposure']],
    ['home 350000 limit 300000.123 deductible 1000', ['limit']],
    ['home -350000 limit 300000 deductible 1000', ['exposure', 'prompt']],
    ['home 350000 limit 300000 deductible 2%', ['deductible', 'prompt']],
    ['home 350000 limit 300000 deductible 1 percent', ['prompt']],
    ['home 350.000 limit 300000 deductible 1000', ['exposure']],
    ['home minus 350000 limit 300000 deductible 1000', ['prompt']],
    ['home 350000 limit 3 million deductible 1000', ['prompt']],
    ['home 350000 limit 300000 deductible 1000 built 19x4', ['prompt']],
  ] as const) {
    const answer = await ask({ prompt: text })
    assert.equal(answer.status, 'NEEDS_INPUT', text)
    assert.deepEqual(
      answer.result.missing.map(({ field }: { field: string }) => field),
      fields,
    )
  }
})

const QUOTE = { type: 'quote', at: '2026-01-01', premium: '1200', limit: '100000' }
const BIND = { type: 'bind', at: '2026-01-31' }
const FNOL = { type: 'fnol', at: '2026-06-01', claim: 'c1' }
const RESERVE = { type: 'reserve', at: '2026-06-01', claim: 'c1', amount: '5000' }
const lived = async (...events: object[]) => ask({ op: 'lifecycle', events })
const codes = async (...events: object[]) => {
  const { result } = await lived(...events)
  return result.refused.map(({ code }: { code: string }) => code)
}

test('bind is blocked by an open issue and by an old quote, and approved otherwise', async () => {
  assert.equal((await lived(QUOTE, BIND)).status, 'APPROVED')
  const blocked = await lived(QUOTE, { type: 'issue', at: '2026-01-02', issue: 'roof' }, BIND)
  assert.deepEqual([blocked.status, blocked.result.state], ['DENIED', 'QUOTED'])
  assert.deepEqual(blocked.result.refused[0], {
    index: 2,
    type: 'bind',
    code: 'OPEN_ISSUE',
    reason: 'underwriting issue roof is open',
    state: 'QUOTED',
  })
  const cleared = await lived(
    QUOTE,
    { type: 'issue', at: '2026-01-02', issue: 'roof' },
    { type: 'clear_issue', at: '2026-01-03', issue: 'roof' },
    BIND,
  )
  assert.equal(cleared.status, 'APPROVED')
  assert.deepEqual(await codes(QUOTE, { ...BIND, at: '2026-02-01' }), ['QUOTE_EXPIRED'])
  assert.deepEqual(await codes(QUOTE, { ...QUOTE, at: '2026-01-20' }, { ...BIND, at: '2026-02-01' }), [])
})

test('a loss outside the term is denied: the day before it, its last day and the day after', async () => {
  const term = { ...BIND, effective: '2026-02-01' }
  const at = '2027-06-01'
  for (const [loss_date, refused] of [
    ['2026-01-31', ['OUTSIDE_TERM']],
    ['2026-02-01', []],
    ['2027-01-31', []],
    ['2027-02-01', ['OUTSIDE_TERM']],
    ['2027-02-02', ['OUTSIDE_TERM']],
    ['2027-06-02', ['FUTURE_LOSS']],
  ] as const)
    assert.deepEqual(await codes(QUOTE, term, { type: 'fnol', at, claim: 'c', loss_date }), refused, loss_date)
  const leap = await lived({ ...QUOTE, at: '2028-02-29' }, { type: 'bind', at: '2028-02-29' })
  assert.equal(leap.result.term.expires, '2029-03-01')
})

test('every event in every state is accepted or refused by name', async () => {
  const states: Record<string, object[]> = {
    NEW: [],
    QUOTED: [QUOTE],
    BOUND: [QUOTE, { ...BIND, effective: '2026-03-01' }],
    IN_FORCE: [QUOTE, BIND],
    CANCELLED: [QUOTE, BIND, { type: 'cancel', at: '2026-02-10' }],
    EXPIRED: [QUOTE, { ...BIND, expires: '2026-02-15' }],
  }
  const event = (type: string, at: string) => ({
    type,
    at,
    ...(type === 'quote' ? { premium: '1', limit: '1' } : {}),
    ...(type.endsWith('issue') ? { issue: 'i' } : {}),
    ...(type === 'endorse' ? { premium_change: '10' } : {}),
    ...(['fnol', 'reserve', 'pay', 'close'].includes(type) ? { claim: 'c' } : {}),
    ...(['reserve', 'pay'].includes(type) ? { amount: '1' } : {}),
  })
  const found: Record<string, string[]> = {}
  for (const [state, events] of Object.entries(states)) {
    found[state] = []
    for (const type of EVENTS) {
      const at = state === 'NEW' || state === 'QUOTED' ? '2026-01-31' : state === 'BOUND' ? '2026-02-01' : '2026-02-20'
      const { result } = await lived(...events, event(type, at))
      found[state].push(result.refused[0]?.code ?? 'ok')
      if (result.refused.length > 0) assert.equal(result.refused[0].state, state)
      else assert.equal(result.history.at(-1).from, state)
    }
  }
  const claimless = ['UNKNOWN_CLAIM', 'UNKNOWN_CLAIM', 'UNKNOWN_CLAIM']
  assert.deepEqual(found, {
    //        quote, issue, clear_issue, bind, endorse, cancel, fnol, reserve, pay, close
    NEW: ['ok', 'NOT_QUOTED', 'UNKNOWN_ISSUE', 'NOT_QUOTED', 'NOT_BOUND', 'NOT_BOUND', 'NOT_BOUND', ...claimless],
    QUOTED: ['ok', 'ok', 'UNKNOWN_ISSUE', 'ok', 'NOT_BOUND', 'NOT_BOUND', 'NOT_BOUND', ...claimless],
    BOUND: [
      'ALREADY_BOUND',
      'NOT_QUOTED',
      'UNKNOWN_ISSUE',
      'ALREADY_BOUND',
      'OUTSIDE_TERM',
      'ok',
      'OUTSIDE_TERM',
      ...claimless,
    ],
    IN_FORCE: ['ALREADY_BOUND', 'NOT_QUOTED', 'UNKNOWN_ISSUE', 'ALREADY_BOUND', 'ok', 'ok', 'ok', ...claimless],
    CANCELLED: [
      ...['ALREADY_BOUND', 'NOT_QUOTED', 'UNKNOWN_ISSUE', 'ALREADY_BOUND', 'POLICY_CANCELLED', 'POLICY_CANCELLED'],
      ...['OUTSIDE_TERM', ...claimless],
    ],
    EXPIRED: [
      ...['ALREADY_BOUND', 'NOT_QUOTED', 'UNKNOWN_ISSUE', 'ALREADY_BOUND', 'POLICY_EXPIRED', 'POLICY_EXPIRED'],
      ...['OUTSIDE_TERM', ...claimless],
    ],
  })
})

test('claims hold to their reserve, their limit and their end', async () => {
  const open = [QUOTE, BIND, FNOL]
  const on = { at: '2026-06-01', claim: 'c1' }
  const pay = (amount: string) => ({ type: 'pay', ...on, amount })
  assert.deepEqual(await codes(...open, FNOL), ['CLAIM_EXISTS'])
  assert.deepEqual(await codes(...open, pay('1')), ['OVER_RESERVE'])
  assert.deepEqual(await codes(...open, RESERVE, pay('5000.01')), ['OVER_RESERVE'])
  assert.deepEqual(await codes(...open, RESERVE, pay('0')), ['ZERO_PAYMENT'])
  assert.deepEqual(await codes(...open, { ...RESERVE, amount: '100000.01' }), ['OVER_LIMIT'])
  assert.deepEqual(await codes(...open, { ...RESERVE, amount: '100000' }), [])
  assert.deepEqual(await codes(...open, RESERVE, pay('5000'), { ...RESERVE, amount: '95000.01' }), ['OVER_LIMIT'])
  assert.deepEqual(await codes(...open, RESERVE, { type: 'close', ...on }), ['OUTSTANDING_RESERVE'])
  const closed = [...open, RESERVE, pay('5000'), { type: 'close', ...on }]
  assert.deepEqual(await codes(...closed), [])
  for (const late of [RESERVE, pay('1'), { type: 'close', ...on }])
    assert.deepEqual(await codes(...closed, late), ['CLAIM_CLOSED'])
  assert.deepEqual(await codes(...closed, { ...RESERVE, at: '2026-05-31' }), ['OUT_OF_ORDER'])
  assert.deepEqual((await lived(...closed)).result.claims, [
    { claim: 'c1', status: 'CLOSED', loss_date: '2026-06-01', reserve: '0.00', paid: '5000.00', incurred: '5000.00' },
  ])
})

test('premium is charged and returned by the day: a year of 1,200 that is cancelled after 73 of 365 days keeps 240', async () => {
  const bound = [QUOTE, { ...BIND, at: '2026-01-01' }]
  const { result } = await lived(...bound, { type: 'cancel', at: '2026-03-15' })
  assert.deepEqual(result.premium, { written: '240.00', earned: '240.00', unearned: '0.00' })
  assert.equal(result.ledger.at(-1).amount, '-960.00')
  const endorsed = await lived(...bound, { type: 'endorse', at: '2026-10-20', premium_change: '365.00' })
  assert.equal(endorsed.result.ledger.at(-1).amount, '73.00')
  const flat = await lived(QUOTE, { ...BIND, effective: '2026-02-15' }, { type: 'cancel', at: '2026-02-01' })
  assert.deepEqual([flat.result.premium.written, flat.result.term.cover_ends], ['0.00', '2026-02-15'])
  assert.deepEqual(await codes(...bound, { type: 'endorse', at: '2026-02-01', premium_change: '-1200.01' }), [
    'NEGATIVE_PREMIUM',
  ])
  for (const [event, code] of [
    [{ type: 'cancel', at: '2026-03-15', effective: '2026-03-14' }, 'RETROACTIVE'],
    [{ type: 'cancel', at: '2026-03-15', effective: '2027-01-01' }, 'OUTSIDE_TERM'],
    [{ type: 'endorse', at: '2026-03-15', effective: '2026-03-14', premium_change: '1' }, 'OUTSIDE_TERM'],
    [{ type: 'endorse', at: '2026-03-15', effective: '2027-01-01', premium_change: '1' }, 'OUTSIDE_TERM'],
  ] as const)
    assert.deepEqual(await codes(...bound, event), [code])
  assert.deepEqual(await codes(QUOTE, { ...BIND, effective: '2026-01-30' }), ['BACKDATED'])
  assert.deepEqual(await codes(QUOTE, { ...BIND, expires: '2026-01-31' }), ['EMPTY_TERM'])
  assert.deepEqual(await codes({ ...QUOTE, premium: '0.00' }, BIND), ['EMPTY_QUOTE', 'NOT_QUOTED'])
  assert.deepEqual(await codes(QUOTE, BIND, FNOL, { type: 'cancel', at: '2026-06-01' }), ['LOSS_AFTER_CANCELLATION'])
})

test('the accepted events alone give the same policy, and the ledger adds up to it', async () => {
  const day = fc.integer({ min: 0, max: 450 }).map((n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10))
  const amount = fc.constantFrom('0', '10', '999.99', '4000', '100000')
  const claim = fc.constantFrom('c1', 'c2')
  const event = fc.oneof(
    fc.record({ type: fc.constant('quote'), at: day, premium: amount, limit: amount }),
    fc.record({ type: fc.constantFrom('issue', 'clear_issue'), at: day, issue: fc.constantFrom('a', 'b') }),
    fc.record({ type: fc.constantFrom('bind', 'cancel'), at: day }),
    fc.record({ type: fc.constant('endorse'), at: day, premium_change: fc.constantFrom('-500', '33.33', '365') }),
    fc.record({ type: fc.constantFrom('fnol', 'close'), at: day, claim }),
    fc.record({ type: fc.constantFrom('reserve', 'pay'), at: day, claim, amount }),
  )
  const events = fc.array(event, { minLength: 1, maxLength: 60 }).map((list) => [
    ...[
      { type: 'quote', at: '2026-01-01', premium: '1000', limit: '5000' },
      { type: 'bind', at: '2026-01-01' },
    ],
    ...list.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
  ])
  await fc.assert(
    fc.asyncProperty(events, async (list) => {
      const { result } = await lived(...list)
      const dropped = new Set(result.refused.map(({ index }: { index: number }) => index))
      const again = (await lived(...list.filter((_, at) => !dropped.has(at)))).result
      const { refused: _, history: __, ledger, ...policy } = result
      const { refused, history: ___, ledger: ledgerAfter, ...same } = again
      assert.deepEqual([refused, same], [[], policy])
      const sum = (accounts: string[]) =>
        (ledger as { account: string; amount: string }[])
          .filter(({ account }) => accounts.includes(account))
          .reduce((total, one) => total + Math.round(Number(one.amount) * 100), 0)
      const cents = (text: string) => Math.round(Number(text) * 100)
      assert.equal(ledgerAfter.length, ledger.length)
      assert.equal(sum(['written_premium', 'return_premium']), cents(policy.premium.written))
      assert.equal(sum(['case_reserve']), cents(policy.totals.reserve))
      assert.equal(sum(['paid_loss']), cents(policy.totals.paid))
      for (const one of policy.claims) assert.ok(cents(one.incurred) <= 500_000 && cents(one.reserve) >= 0)
    }),
    { seed: 6, numRuns: 200 },
  )
})

test('a request of events is checked by shape: what an event needs, what it may not have, and its dates', async () => {
  for (const [at, event] of [
    ['events.0.premium', { type: 'quote', at: '2026-01-01', limit: '1' }],
    ['events.0.claim', { ...QUOTE, claim: 'c' }],
    ['events.0.premium', { ...QUOTE, premium: 1200.5 }],
    ['events.0.at', { ...QUOTE, at: '2026-02-30' }],
    ['events.0.at', { ...QUOTE, at: '2026-13-01' }],
    ['events.0.type', { ...QUOTE, type: 'renew' }],
    ['events.0.claim', { ...FNOL, claim: '' }],
    ['events.0.loss_date', { ...FNOL, loss_date: '2026-02-29' }],
  ] as const)
    assert.equal(await fault({ op: 'lifecycle', events: [event] }), at)
  assert.equal(await fault({ op: 'lifecycle', events: [] }), 'events')
  assert.equal(await fault({ op: 'lifecycle', events: Array.from({ length: 101 }, () => QUOTE) }), 'events')
  assert.equal((await lived(...Array.from({ length: 100 }, () => QUOTE))).status, 'EXECUTED')
})

test('the triangle of Taylor and Ashe has the reserve and the errors that Mack published', async () => {
  const { result } = await ask({ op: 'triangle', values: TAYLOR_ASHE })
  assert.equal(result.ldf[0].toFixed(4), '3.4906')
  assert.deepEqual([Math.round(result.ibnr), Math.round(result.mack_se)], [18_680_856, 2_447_095])
  const published = [75_535, 121_699, 133_549, 261_406, 411_010, 558_317, 875_328, 971_258, 1_363_155]
  const reserves = [94_634, 469_511, 709_638, 984_889, 1_419_459, 2_177_641, 3_920_301, 4_278_972, 4_625_811]
  const origins: { ibnr: string; mack_se: string }[] = result.origins
  assert.deepEqual(
    origins.map(({ mack_se }) => Math.round(Number(mack_se))),
    [0, ...published],
  )
  assert.deepEqual(
    origins.map(({ ibnr }) => Math.round(Number(ibnr))),
    [0, ...reserves],
  )
  const n = TAYLOR_ASHE.length
  const square = TAYLOR_ASHE.map((row) => [...row.map((cell) => cell.toFixed(2)), ...Array(n - row.length).fill(null)])
  assert.equal((await ask({ op: 'triangle', values: square })).result.ibnr, result.ibnr)
})

test('three origins are worked out by hand, and a tail scales what is developed', async () => {
  const values = [[100, 150, 165], [200, 320], [400]]
  const { result } = await ask({ op: 'triangle', values })
  // Factors (150+320)/300 and 165/150. Squares 100(1.5-f)^2 + 200(1.6-f)^2 over one degree of freedom.
  const [first, last] = [470 / 300, 1.1]
  const spread = 100 * (1.5 - first) ** 2 + 200 * (1.6 - first) ** 2
  assert.deepEqual(result.ldf, [1.566667, 1.1])
  assert.equal(result.ibnr, (320 * last - 320 + 400 * first * last - 400).toFixed(2))
  const [two, three] = [320 * last, 400 * first * last]
  const mseTwo = two ** 2 * (spread / last ** 2) * (1 / 320 + 1 / 150)
  const late = (spread / last ** 2) * (1 / (400 * first) + 1 / 150)
  const mseThree = three ** 2 * ((spread / first ** 2) * (1 / 400 + 1 / 300) + late)
  const covariance = 2 * two * three * (spread / last ** 2 / 150)
  assert.equal(result.mack_se, Math.sqrt(mseTwo + mseThree + covariance).toFixed(2))
  const tail = await ask({ op: 'triangle', values, tail: 1.5 })
  assert.equal(tail.result.ultimate, (1.5 * (165 + two + three)).toFixed(2))
  const codesOf = ({ limits }: Record<string, { code: string }[]>) => limits!.map(({ code }) => code)
  assert.deepEqual(codesOf(tail), ['MACK_ASSUMPTIONS', 'ONE_SIGMA', 'TAIL_WITHOUT_ERROR'])
  // With four origins there are two variances to extrapolate from.
  const four = await ask({ op: 'triangle', values: [[100, 150, 165, 170], [200, 320, 330], [400, 500], [300]] })
  assert.deepEqual(codesOf(four), ['MACK_ASSUMPTIONS'])
})

test('a triangle that is none is refused by cell', async () => {
  const ok = [[100, 150, 165], [200, 320], [400]]
  const changed = (i: number, k: number, cell: unknown) =>
    ok.map((row, at) => (at === i ? row.toSpliced(k, 1, cell as number) : row))
  for (const [at, values] of [
    ['values.1.1', changed(1, 1, null)],
    ['values.0.2', changed(0, 2, 0)],
    ['values.0.2', changed(0, 2, -5)],
    ['values.1.0', changed(1, 0, 200.5)],
    ['values.1.0', changed(1, 0, '200.555')],
    ['values.2.1', [...ok.slice(0, 2), [400, 500, null]]],
    ['values.0', [[100, 150], ...ok.slice(1)]],
    ['values.2', [...ok.slice(0, 2), [400, null]]],
    ['values', ok.slice(0, 2)],
    ['values', Array.from({ length: 21 }, (_, i) => Array(Math.min(20, 21 - i)).fill(1))],
    [
      'values',
      Array.from({ length: 20 }, (_, i) => Array.from({ length: 20 - i }, (_, k) => (k === 19 - i ? 1e15 : 1))),
    ],
  ] as const)
    assert.equal(await fault({ op: 'triangle', values }), at)
  assert.equal(await fault({ op: 'triangle', values: ok, tail: 0.999 }), 'tail')
  assert.equal(await fault({ op: 'triangle', values: ok, tail: 2.001 }), 'tail')
  const large = Array.from({ length: 20 }, (_, i) => Array.from({ length: 20 - i }, (_, k) => 100 + k))
  assert.equal((await ask({ op: 'triangle', values: large, tail: 2 })).status, 'EXECUTED')
  // Paid amounts may fall, as after a recovery; a triangle without any spread has no error.
  assert.equal((await ask({ op: 'triangle', values: changed(0, 2, 140) })).status, 'EXECUTED')
  const even = await ask({ op: 'triangle', values: [[1, 2, 4], [1, 2], [1]] })
  assert.deepEqual([even.result.ibnr, even.result.mack_se], ['5.00', '0.00'])
})

const BOOK = { op: 'portfolio', n: 200, freq: 0.5, sev_mu: 7, sev_sigma: 1.2, trials: 1000 }

test('the mean of a portfolio lies within three standard errors of theory, for every seed of ten', async () => {
  const theory = 200 * 0.5 * Math.exp(7 + 1.2 ** 2 / 2)
  const spread = Math.sqrt(200 * 0.5 * Math.exp(2 * 7 + 2 * 1.2 ** 2))
  for (let seed = 1; seed <= 10; seed += 1) {
    const { result } = await ask({ ...BOOK, seed })
    const error = Math.abs(Number(result.mean) - theory)
    assert.ok(error <= 3 * Number(result.mean_se), `seed ${seed}: ${result.mean} is not ${theory}`)
    assert.deepEqual(result.expected, { mean: theory.toFixed(2), sd: spread.toFixed(2) })
    assert.ok(Number(result.var_95) <= Number(result.tvar_95) && Number(result.tvar_95) <= Number(result.tvar_99))
  }
})

test('a layer has the moments that integration over the severity gives', async () => {
  const [deductible, limit, sigma, mu] = [500, 4000, 1.2, 7]
  const steps = 200_000
  let [first, second, weight] = [0, 0, 0]
  for (let at = 0; at < steps; at += 1) {
    const z = -9 + (18 * (at + 0.5)) / steps
    const density = Math.exp(-(z ** 2) / 2)
    const paid = Math.min(limit, Math.max(0, Math.exp(mu + sigma * z) - deductible))
    weight += density
    first += density * paid
    second += density * paid ** 2
  }
  const { result } = await ask({ ...BOOK, deductible: '500', limit: '4000', premium: '200000' })
  const [mean, sd] = [(100 * first) / weight, Math.sqrt((100 * second) / weight)]
  assert.ok(Math.abs(Number(result.expected.mean) / mean - 1) < 1e-6, `${result.expected.mean} is not ${mean}`)
  assert.ok(Math.abs(Number(result.expected.sd) / sd - 1) < 1e-6)
  assert.ok(Math.abs(Number(result.mean) - mean) <= 3 * Number(result.mean_se))
  assert.equal(result.loss_ratio.mean, Number((Number(result.mean) / 200_000).toFixed(6)))
})

test('amounts by pieces are those of the lognormal quantile to 1 in 10^8, in the tails exactly', () => {
  for (const sev_sigma of [0, 0.5, 1, 3]) {
    const severity = { sev_mu: 8, sev_sigma }
    const pieces = quantilePieces(severity)
    for (let n = 0; n < 50_000; n += 1) {
      const share = (n + 0.37) / 50_000
      const exact = Math.exp(8 + sev_sigma * inverseNormal(share))
      const isTail = share < 1 / 64 || share >= 63 / 64
      const off = Math.abs(amountAt(severity, pieces, share) / exact - 1)
      assert.ok(off <= (isTail ? 0 : 1e-8), `${sev_sigma} ${share} ${off}`)
    }
  }
})

test('fixed losses of one each are the Poisson count itself, also where it is large', async () => {
  const { result } = await ask({ op: 'portfolio', n: 1, freq: 0.7, sev_mu: 0, sev_sigma: 0, trials: 5000 })
  const poisson = (k: number) => (Math.exp(-0.7) * 0.7 ** k) / [1, 1, 2, 6, 24, 120][k]!
  const share = [0, 1, 2, 3].map(poisson)
  // P(N <= 2) = 0.9659 and P(N <= 3) = 0.9942.
  assert.deepEqual([result.var_95, result.var_99], ['2.00', '3.00'])
  assert.ok(share[0]! + share[1]! + share[2]! > 0.95)
  const many = await ask({ op: 'portfolio', n: 10_000, freq: 5, sev_mu: 0, sev_sigma: 0, trials: 40 })
  assert.ok(Math.abs(Number(many.result.mean) - 50_000) <= 3 * Number(many.result.mean_se))
  assert.ok(Math.abs(Number(many.result.sd) / Math.sqrt(50_000) - 1) < 0.35)
})

test('a portfolio is the same in a thread and here, differs by seed, and nothing happens where nothing can', async () => {
  const heavy = { ...BOOK, n: 400, trials: 1001 }
  const [one, two] = [await ask(heavy), await ask(heavy)]
  assert.equal(one.result_sha256, two.result_sha256)
  assert.notEqual(one.result_sha256, (await ask({ ...heavy, seed: 43 })).result_sha256)
  assert.equal((await ask({ ...BOOK, freq: 0 })).result.tvar_99, '0.00')
  const single = (await ask({ ...BOOK, trials: 1 })).result
  assert.deepEqual([single.sd, single.mean_se, single.var_95, single.tvar_99], [null, null, single.mean, single.mean])
})

test('the bounds of a portfolio hold at their last values, and its work is refused before it runs', async () => {
  for (const [at, change] of [
    ['n', { n: 0 }],
    ['n', { n: 10_001 }],
    ['freq', { freq: -0.01 }],
    ['freq', { freq: 5.01 }],
    ['sev_sigma', { sev_sigma: 3.01 }],
    ['sev_mu', { sev_mu: 20.1 }],
    ['trials', { trials: 0 }],
    ['trials', { trials: 5001 }],
    ['limit', { limit: 4000 }],
    ['limit', { limit: '0' }],
    ['premium', { premium: '0' }],
    ['', { n: 10_000, freq: 1, trials: 2001 }],
  ] as const)
    assert.equal(await fault({ ...BOOK, ...change }), at)
  for (const change of [
    { n: 1 },
    { n: 10_000, freq: 0.001 },
    { freq: 5, n: 1 },
    { sev_sigma: 3 },
    { trials: 5000, n: 1 },
  ])
    assert.equal((await ask({ ...BOOK, ...change })).status, 'EXECUTED')
})
