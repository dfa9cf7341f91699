import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { docQuestion } from '#testing/organs/doc-question.ts'
import { testCompute } from '#testing/organs/live-gates.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import county from './county.json' with { type: 'json' }
import { title } from './organ.ts'

const organ = title({ compute: testCompute(after) })
const ask = async (body: Record<string, unknown>) => (await tryOrgan(organ, body)).answer
const search = async (instruments: readonly object[], more: object = {}) =>
  (await ask({ parcel: 'lot', instruments, ...more })).result
const fault = (body: Record<string, unknown>) =>
  tryOrgan(organ, body).then(
    () => assert.fail('the request was taken'),
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail[0]!.loc.slice(1).join('.')
    },
  )
const deed = (id: string, from: string, to: string, executed: string, recorded: string | null, more: object = {}) => ({
  ...{ id, type: 'deed', grantor: [from], grantee: [to], executed, recorded, ...more },
})
const ownersOf = (result: { owners: { name: string; fraction: string }[] }) =>
  Object.fromEntries(result.owners.map(({ name, fraction }) => [name, fraction]))
const codes = (result: { defects: { code: string }[] }) => result.defects.map(({ code }) => code)
const STATUTES = ['race', 'notice', 'race_notice'] as const
/** The owner under each statute. */
const winners = async (instruments: readonly object[], more: object = {}) =>
  Promise.all(
    STATUTES.map(async (statute) => Object.keys(ownersOf(await search(instruments, { statute, ...more }))).join()),
  )

const OA = (recorded: string | null, more = {}) => deed('oa', 'O', 'A', '2020-01-01', recorded, more)
const OB = (recorded: string | null, more = {}) => deed('ob', 'O', 'B', '2020-02-01', recorded, more)

test('a parcel sold twice goes by the statute to whom the textbooks give it', async () => {
  assert.deepEqual(await winners([OA('2020-03-01'), OB('2020-04-01')]), ['A', 'B', 'A'])
  assert.deepEqual(await winners([OA('2020-04-01'), OB('2020-03-01')]), ['B', 'B', 'B'])
  assert.deepEqual(await winners([OA('2020-04-01'), OB('2020-03-01', { knew_of: ['oa'] })]), ['B', 'A', 'A'])
})

test('every case of two deeds by one owner agrees with the statutes written out', async () => {
  // Independent of the organ: the sentence of each statute, for the second grantee.
  for (const recordedA of [null, '2020-01-15', '2020-02-15', '2020-03-15'])
    for (const recordedB of [null, '2020-03-01'])
      for (const knew of [false, true])
        for (const value of [true, false]) {
          const first = recordedB !== null && (recordedA === null || recordedB < recordedA)
          const innocent = !knew && (recordedA === null || recordedA > '2020-02-01')
          const expected = [first, innocent, innocent && first].map((wins) => (value && wins ? 'B' : 'A'))
          const more = { for_value: value, ...(knew ? { knew_of: ['oa'] } : {}) }
          assert.deepEqual(
            await winners([OA(recordedA), OB(recordedB, more)]),
            expected,
            JSON.stringify([recordedA, recordedB, more]),
          )
        }
})

const WILD = [
  OA(null),
  deed('ab', 'A', 'B', '2020-02-01', '2020-02-02'),
  deed('oc', 'O', 'C', '2020-03-01', '2020-03-02'),
]

test('a wild deed gives no notice: the purchaser from the owner of record prevails', async () => {
  assert.deepEqual(await winners(WILD), ['C', 'C', 'C'])
  const result = await search(WILD, { statute: 'notice' })
  assert.deepEqual(
    result.wild_deeds.map(({ id }: { id: string }) => id),
    ['ab'],
  )
  assert.deepEqual(result.breaks, [{ id: 'ab', grantor: 'A', unrecorded: 'oa', carries_title: false }])
  assert.deepEqual(
    result.losing_claims.map(({ id, lost_to }: { id: string; lost_to: string[] }) => [id, lost_to]),
    [['oa', ['oc']]],
  )
  assert.equal(result.verdict, 'UNMARKETABLE')
  // Whoever knows of the wild deed has to ask how its grantor came to hold.
  const knew = WILD.with(2, { ...WILD[2]!, knew_of: ['ab'] } as never)
  assert.deepEqual(await winners(knew), ['C', 'B', 'B'])
})

test('what closes on one day follows the line, whatever the ids', async () => {
  const flip = [deed('a', 'M', 'B', '2020-01-01', '2020-01-02'), deed('b', 'O', 'M', '2020-01-01', '2020-01-02')]
  const result = await search(flip)
  assert.deepEqual([ownersOf(result), result.verdict], [{ B: '1' }, 'MARKETABLE'])
})

test('whoever buys from a protected purchaser is protected, though he knows', async () => {
  const shelter = [
    OA('2020-06-01'),
    OB('2020-03-01'),
    deed('bc', 'B', 'C', '2020-07-01', '2020-07-02', { knew_of: ['oa'] }),
  ]
  assert.deepEqual(await winners(shelter), ['C', 'C', 'C'])
  const gift = [OA('2020-06-01'), OB('2020-03-01'), deed('bc', 'B', 'C', '2020-07-01', null, { for_value: false })]
  assert.deepEqual(await winners(gift), ['C', 'C', 'C'])
})

test('an innocent purchaser from a grantee who knew prevails over a deed that is still unrecorded', async () => {
  const below = [OA(null), OB('2020-03-01', { knew_of: ['oa'] }), deed('bc', 'B', 'C', '2020-07-01', '2020-07-02')]
  assert.deepEqual(await winners(below), ['C', 'C', 'C'])
  // Of a third only that third goes.
  const third = below.with(2, { ...below[2]!, fraction: '1/3' } as never)
  assert.deepEqual(ownersOf(await search(third, { statute: 'race_notice' })), { A: '2/3', C: '1/3' })
  // Recorded before the second sale, it is found under the name of the common owner.
  const late = below.with(0, OA('2020-06-01'))
  assert.deepEqual(await winners(late), ['C', 'A', 'A'])
})

test('a line that is complete on the record later does not count as recorded first (Zimmer v. Sundell)', async () => {
  // O to A, unrecorded; O to B, recorded; A to C recorded first of all but wild until O to A is recorded.
  const line = [OA('2020-05-01'), deed('ac', 'A', 'C', '2020-01-10', '2020-01-11'), OB('2020-03-01')]
  assert.deepEqual(await winners(line), ['B', 'B', 'B'])
})

test('a deed recorded before its grantor acquired is outside the chain (Sabo v. Horvath)', async () => {
  const early = [
    deed('lh', 'Lowery', 'Horvath', '1970-01-03', '1970-01-05'),
    deed('ul', 'United States', 'Lowery', '1973-08-01', '1973-08-10'),
    deed('ls', 'Lowery', 'Sabo', '1973-10-15', '1973-12-13'),
  ]
  const result = await search(early, { root: 'United States', statute: 'race_notice' })
  assert.deepEqual(ownersOf(result), { Sabo: '1' })
  assert.deepEqual(
    result.wild_deeds.map(({ id }: { id: string }) => id),
    ['lh'],
  )
  // Without a second sale the title that Lowery acquired has passed to Horvath.
  assert.deepEqual(ownersOf(await search(early.slice(0, 2), { root: 'United States' })), { Horvath: '1' })
})

test('priorities that go in a circle are not decided but named', async () => {
  // Notice: A recorded after B bought and before C did; B never recorded.
  const circle = [OA('2020-03-01'), OB(null), deed('oc', 'O', 'C', '2020-04-01', '2020-04-02')]
  const result = await search(circle, { statute: 'notice' })
  assert.deepEqual([result.owners, result.verdict], [[], 'UNMARKETABLE'])
  const [contested] = result.defects
  assert.deepEqual(
    [contested.code, contested.instruments.sort(), contested.fraction],
    ['CIRCULAR_PRIORITY', ['oa', 'ob', 'oc'], '1'],
  )
  assert.deepEqual(await winners(circle), ['A', '', 'A'])
})

test('fractions are exact: a half and a third leave a sixth', async () => {
  const halves = [OA('2020-01-02', { fraction: '1/2' }), OB('2020-02-02', { fraction: '1/3' })]
  const result = await search(halves)
  assert.deepEqual(ownersOf(result), { A: '1/2', B: '1/3', O: '1/6' })
  assert.deepEqual([result.fraction_sum, codes(result)], ['5/6', ['FRACTION_GAP']])
  assert.equal(result.defects[0].fraction, '1/6')
  // The rest, conveyed as such, closes the gap and is no rival claim.
  const closed = await search([...halves, deed('oc', 'O', 'C', '2020-03-01', '2020-03-02')])
  assert.deepEqual(
    [ownersOf(closed), closed.losing_claims, closed.verdict],
    [{ A: '1/2', B: '1/3', C: '1/6' }, [], 'MARKETABLE'],
  )
  // More than there is: the statute decides on what was given twice.
  const over = await search([OA('2020-04-01', { fraction: '1/2' }), OB('2020-02-02', { fraction: '2/3' })])
  assert.deepEqual(ownersOf(over), { A: '1/3', B: '2/3' })
})

test('co-owners convey together what both have, heirs take by probate, and the dead convey no more', async () => {
  const heirs = [
    { id: 'p', type: 'probate', grantor: ['O'], grantee: ['H', 'W'], executed: '2020-01-01', recorded: '2020-01-02' },
    { id: 'd', type: 'deed', grantor: ['H', 'W'], grantee: ['B'], executed: '2020-02-01', recorded: '2020-02-02' },
    deed('ghost', 'O', 'X', '2020-03-01', '2020-03-02'),
  ]
  const result = await search(heirs)
  assert.deepEqual([ownersOf(result), codes(result)], [{ B: '1' }, ['WILD_DEED', 'DEED_AFTER_PROBATE']])
  assert.deepEqual(ownersOf(await search(heirs.slice(0, 1))), { H: '1/2', W: '1/2' })
})

test('an owner who sold and bought back sells what he bought, not what he sold', async () => {
  const back = [
    OA('2020-01-02'),
    deed('ao', 'A', 'O', '2021-01-01', '2021-01-02'),
    deed('oc', 'O', 'C', '2022-01-01', '2022-01-02', { fraction: '1/2' }),
  ]
  const result = await search(back)
  assert.deepEqual([ownersOf(result), result.losing_claims], [{ C: '1/2', O: '1/2' }, []])
})

test('a lien stays until its own holder releases it on the record, and binds by the same statute', async () => {
  const lien = (recorded: string | null) => ({ ...deed('m', 'O', 'Bank', '2020-01-01', recorded), type: 'mortgage' })
  const release = (by: string, recorded: string | null) => ({
    ...deed('r', by, 'O', '2020-01-20', recorded),
    type: 'release',
    refs: ['m'],
  })
  const sale = deed('ob', 'O', 'B', '2020-02-01', '2020-02-02')
  const open = async (instruments: object[], more = {}) => {
    const result = await search(instruments, more)
    return [result.open_liens.map(({ binds }: { binds: boolean }) => binds), codes(result), result.verdict]
  }
  assert.deepEqual(await open([lien('2020-01-02'), sale]), [[true], ['OPEN_LIEN'], 'CURABLE'])
  assert.deepEqual(await open([lien('2020-01-02'), release('Bank', '2020-01-21'), sale]), [[], [], 'MARKETABLE'])
  assert.deepEqual(await open([lien('2020-01-02'), release('Other', '2020-01-21'), sale]), [
    [true],
    ['OPEN_LIEN', 'RELEASE_BY_STRANGER'],
    'CURABLE',
  ])
  assert.deepEqual(await open([lien('2020-01-02'), release('Bank', null), sale]), [
    [true],
    ['OPEN_LIEN', 'UNRECORDED_RELEASE'],
    'CURABLE',
  ])
  // Unrecorded when B bought without knowing of it, it is cut off, unless B must record first and did not; but that B did
  // not know stands on no record, so that nobody passes it without a release.
  assert.deepEqual(await open([lien(null), sale]), [[false], ['BONA_FIDES'], 'CURABLE'])
  assert.deepEqual(await open([lien('2020-02-02'), { ...sale, recorded: '2020-02-03' }], { statute: 'race_notice' }), [
    [true],
    ['OPEN_LIEN'],
    'CURABLE',
  ])
  assert.deepEqual(await open([lien('2020-02-02'), { ...sale, recorded: '2020-02-03' }], { statute: 'notice' }), [
    [false],
    ['BONA_FIDES'],
    'CURABLE',
  ])
  // Who lends to an owner that has sold, without notice of the sale, prevails over it.
  const loan = { ...deed('m', 'O', 'Bank', '2020-03-01', '2020-03-02'), type: 'mortgage' }
  assert.deepEqual((await open([{ ...sale, recorded: null }, loan]))[0], [true])
  assert.deepEqual(await open([sale, loan]), [[false], [], 'MARKETABLE'])
})

test('names that are alike are candidates and never one party', async () => {
  const result = await search(
    [
      deed('1', 'O', 'Jonathan Smithers', '2020-01-01', '2020-01-02'),
      deed('2', 'Jonathon Smithers', 'B', '2021-01-01', '2021-01-02'),
    ],
    { root: 'O' },
  )
  assert.deepEqual(ownersOf(result), { 'Jonathan Smithers': '1' })
  assert.deepEqual(result.name_candidates, [{ names: ['Jonathan Smithers', 'Jonathon Smithers'], likeness: 0.941176 }])
  assert.deepEqual(codes(result), ['WILD_DEED', 'NAME_VARIANCE'])
  // Case and spacing are no variance.
  const same = await search([
    deed('1', 'O', 'Ann  Lee', '2020-01-01', '2020-01-02'),
    deed('2', 'ANN LEE', 'B', '2021-01-01', '2021-01-02'),
  ])
  assert.deepEqual([ownersOf(same), same.verdict], [{ B: '1' }, 'MARKETABLE'])
})

test('two moments of the same day that decide are a doubt, until the time of day is given', async () => {
  const day = await search([OA('2020-03-01'), OB('2020-03-01')], { statute: 'race' })
  assert.ok(codes(day).includes('ORDER_UNCERTAIN'))
  const timed = await search([OA('2020-03-01T10:15'), OB('2020-03-01T09:40')], { statute: 'race' })
  assert.deepEqual([ownersOf(timed), codes(timed)], [{ B: '1' }, ['RIVAL_CLAIM']])
})

test('the day of the search and the years looked back count', async () => {
  const sale = OA('2020-03-01')
  const before = await ask({ parcel: 'lot', instruments: [sale], as_of: '2019-12-31', root: 'O' })
  assert.deepEqual([ownersOf(before.result), before.result.chain], [{ O: '1' }, []])
  assert.ok(before.limits.some(({ code }: { code: string }) => code === 'AFTER_AS_OF'))
  const between = await search([sale], { as_of: '2020-02-01' })
  assert.deepEqual(codes(between), ['UNRECORDED'])
  const old = [
    deed('1', 'O', 'A', '1970-01-01', '1970-01-02'),
    { ...deed('m', 'O', 'Bank', '1960-01-01', '1960-01-02'), type: 'mortgage' },
  ]
  assert.deepEqual(codes(await search(old)), ['ANCIENT_LIEN'])
  assert.deepEqual(codes(await search(old, { years: 100 })), ['OPEN_LIEN'])
})

const somebody = fc.constantFrom('O', 'A', 'B', 'C', 'D')
/** Instruments of the first days of a January: the fewer the days, the more of them are of one day. */
const instrumentsOf = (days: number) =>
  fc
    .array(
      fc.record({
        type: fc.constantFrom('deed', 'deed', 'deed', 'probate', 'mortgage', 'lien', 'easement', 'release'),
        grantor: fc.uniqueArray(somebody, { minLength: 1, maxLength: 2 }),
        grantee: fc.uniqueArray(somebody, { minLength: 1, maxLength: 2 }),
        executed: fc.integer({ min: 1, max: days }),
        hour: fc.option(fc.integer({ min: 10, max: 12 }), { freq: 3 }),
        waits: fc.option(fc.integer({ min: 0, max: days })),
        for_value: fc.boolean(),
        fraction: fc.option(fc.constantFrom('1/2', '1/3', '2/3', '1/7')),
        knew: fc.array(fc.nat({ max: 11 }), { maxLength: 2 }),
        named: fc.array(fc.nat({ max: 11 }), { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((list) => {
      const day = (n: number) =>
        `20${String(10 + Math.floor(n / 28)).padStart(2, '0')}-01-${String(1 + (n % 28)).padStart(2, '0')}`
      const ids = (at: number, all: number[]) =>
        [...new Set(all)].filter((n) => n < list.length && n !== at).map((n) => `i${n}`)
      return list.map(({ executed, hour, waits, fraction, knew, named, ...one }, at) => ({
        ...one,
        id: `i${at}`,
        executed: `${day(executed)}${hour === null ? '' : `T${hour}:00`}`,
        recorded: waits === null ? null : day(executed + waits),
        ...(fraction === null ? {} : { fraction }),
        knew_of: ids(at, knew),
        refs: one.type === 'release' || named.length > 1 ? ids(at, named) : [],
      }))
    })

/** The same instruments in another order under other ids. */
const disguised = fc.integer({ min: 1, max: 9 }).chain((days) =>
  instrumentsOf(days).chain((list) =>
    fc.record({
      list: fc.constant(list),
      shuffled: fc.shuffledSubarray(list, { minLength: list.length }),
      ids: fc.shuffledSubarray(
        list.map(({ id }) => `r${id}`),
        { minLength: list.length },
      ),
    }),
  ),
)

test('neither the order of the list nor the spelling of ids changes who owns, what is wrong and how wrong it is', async () => {
  await fc.assert(
    fc.asyncProperty(disguised, fc.constantFrom(...STATUTES), async ({ list, shuffled, ids }, statute) => {
      const named = (id: string) => ids[Number(id.slice(1))]!
      const renamed = shuffled.map((one) => ({
        ...one,
        ...{ id: named(one.id), knew_of: one.knew_of.map(named), refs: one.refs.map(named) },
      }))
      const [one, other] = [await search(list, { statute }), await search(renamed, { statute })]
      assert.deepEqual(
        [one.verdict, one.owners, one.fraction_sum, codes(one).sort()],
        [other.verdict, other.owners, other.fraction_sum, codes(other).sort()],
      )
      const bound = (result: typeof one, name = (id: string) => id) =>
        Object.fromEntries(result.open_liens.map(({ id, binds }: { id: string; binds: boolean }) => [name(id), binds]))
      assert.deepEqual(bound(one, named), bound(other))
    }),
    { seed: 8, numRuns: 400 },
  )
})

test('the order of the list changes nothing at all, and owned and contested shares are the whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      instrumentsOf(60).chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      fc.constantFrom(...STATUTES),
      async ([list, shuffled], statute) => {
        const [one, other] = [await search(list, { statute }), await search(shuffled, { statute })]
        assert.deepEqual(one, other)
        if (one.root.parties.length === 0) return
        const parts = [
          ...one.owners.map(({ fraction }: { fraction: string }) => fraction),
          ...one.defects
            .filter(({ code, fraction }: { code: string; fraction?: string }) => code !== 'FRACTION_GAP' && fraction)
            .map(({ fraction }: { fraction: string }) => fraction),
        ].map((text: string) => text.split('/').map(Number))
        const sum = parts.reduce((total, [top = 0, bottom = 1]) => total + top / bottom, 0)
        assert.ok(Math.abs(sum - 1) < 1e-9, `${sum}`)
      },
    ),
    { seed: 8, numRuns: 400 },
  )
})

test('of many deeds by one owner the race goes to the first recorded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: 27 }), { minLength: 2, maxLength: 10 }), async (days) => {
      const rivals = days.map((day, at) =>
        deed(`d${at}`, 'O', `G${at}`, '2020-01-01', `2020-02-${String(day + 1).padStart(2, '0')}`),
      )
      const first = days.indexOf(Math.min(...days))
      assert.deepEqual(ownersOf(await search(rivals, { statute: 'race' })), { [`G${first}`]: '1' })
    }),
    { seed: 8, numRuns: 100 },
  )
})

test('a parcel of the sample county is looked up, by prompt as written out; an unknown one has no record', async () => {
  assert.equal(county.length, 200)
  const [asked, written] = [await ask({ prompt: ' 11-0107 ' }), await ask({ op: 'search', parcel: '11-0107' })]
  assert.deepEqual([asked.input_sha256, asked.result_sha256], [written.input_sha256, written.result_sha256])
  assert.equal(asked.result.wild_deeds.length, 1)
  const none = await ask({ prompt: 'hello' })
  assert.deepEqual(
    [none.status, none.result.chain, codes(none.result), none.result.verdict],
    ['EXECUTED', [], ['NO_RECORD'], 'UNMARKETABLE'],
  )
  const found = new Set<string>()
  for (const parcel of new Set(county.map((one) => one.parcel)))
    for (const code of codes((await ask({ parcel, statute: 'notice' })).result)) found.add(code)
  for (const code of [
    'WILD_DEED',
    'FRACTION_GAP',
    'OPEN_LIEN',
    'RELEASE_BY_STRANGER',
    'NAME_VARIANCE',
    'EASEMENT',
    'UNRECORDED',
    'CIRCULAR_PRIORITY',
    'BONA_FIDES',
  ])
    assert.ok(found.has(code), code)
})

test('bad instruments are refused at their place', async () => {
  const list = (more: object) => ({ parcel: 'lot', instruments: [{ ...OA('2020-03-01'), ...more }] })
  assert.equal(await fault(list({ recorded: '2019-12-31' })), 'instruments.0.recorded')
  assert.equal(await fault(list({ executed: '2020-02-30' })), 'instruments.0.executed')
  assert.equal(await fault(list({ refs: ['none'] })), 'instruments.0.refs.0')
  assert.equal(await fault(list({ knew_of: ['oa'] })), 'instruments.0.knew_of.0')
  assert.equal(await fault(list({ fraction: '3/2' })), 'instruments.0.fraction')
  assert.equal(await fault(list({ fraction: '1/0' })), 'instruments.0.fraction')
  assert.equal(await fault(list({ grantor: [] })), 'instruments.0.grantor')
  assert.equal(await fault(list({ grantee: [' '] })), 'instruments.0.grantee.0')
  assert.equal(await fault({ parcel: 'lot', instruments: [OA(null), OA(null)] }), 'instruments.1.id')
  assert.equal(await fault({ parcel: 'lot', instruments: [OA(null)], root: 'Z' }), 'root')
  assert.equal(await fault({ parcel: '11-0107', root: 'Nobody' }), 'root')
  assert.deepEqual((await ask({ parcel: 'nowhere', root: 'Nobody' })).result.owners, [])
  assert.equal(await fault({ parcel: 'lot', instruments: [] }), 'instruments')
  const many = (count: number) => ({
    parcel: 'lot',
    instruments: Array.from({ length: count }, (_, at) =>
      deed(`d${at}`, `N${at}`, `N${at + 1}`, '2020-01-01', '2020-01-02'),
    ),
  })
  assert.equal((await ask(many(200))).result.chain.length, 200)
  assert.equal(await fault(many(201)), 'instruments')
  for (const [years, isTaken] of [
    [0, false],
    [1, true],
    [100, true],
    [101, false],
  ] as const)
    if (isTaken) assert.equal((await ask({ parcel: 'lot', years })).status, 'EXECUTED')
    else assert.equal(await fault({ parcel: 'lot', years }), 'years')
  assert.equal((await ask({ parcel: 'p'.repeat(64) })).status, 'EXECUTED')
  assert.equal(await fault({ parcel: 'p'.repeat(65) }), 'parcel')
  const parties = (count: number) => ({
    parcel: 'lot',
    instruments: Array.from({ length: count / 4 }, (_, at) => ({
      ...deed(`d${at}`, '', '', '2020-01-01', null),
      grantor: [`a${at}`, `b${at}`],
      grantee: [`c${at}`, `d${at}`],
    })),
  })
  assert.equal((await ask(parties(400))).status, 'EXECUTED')
  assert.equal(await fault(parties(404)), 'instruments')
})

test('two parties who convey to and fro two hundred times are no puzzle that is guessed at', async () => {
  const back = Array.from({ length: 200 }, (_, at) => ({
    ...deed(`d${String(at).padStart(3, '0')}`, 'A', 'B', '2020-01-01', null),
    ...(at % 2 === 0 ? {} : { grantor: ['A', 'B'], grantee: ['B', 'A', 'C', 'D'] }),
    executed: `20${String(10 + Math.floor(at / 28)).padStart(2, '0')}-01-${String(1 + (at % 28)).padStart(2, '0')}`,
  }))
  for (const statute of STATUTES) {
    const result = await search(back, { statute })
    assert.equal(result.verdict, 'UNMARKETABLE')
  }
})

test('a record with no end of rival lines is given up on and says so', async () => {
  const day = (year: number, at: number) =>
    `${year}-${String((at % 12) + 1).padStart(2, '0')}-${String((at % 28) + 1).padStart(2, '0')}`
  const fan = Array.from({ length: 40 }, (_, at) => ({
    ...deed(`o${at}`, 'O', 'Z', day(2010, at), at % 3 === 0 ? day(2011, at) : null),
    grantee: [`A${at}`, 'Z'],
  }))
  const lines = Array.from({ length: 160 }, (_, at) => ({
    ...deed(`z${at}`, 'Z', 'O', day(2012, at), at % 2 === 0 ? null : day(2013, at)),
    grantor: ['Z', `A${at % 40}`],
  }))
  for (const statute of STATUTES) {
    const result = await search([...fan, ...lines], { statute })
    assert.ok(codes(result).includes('TOO_MANY_RIVALS'))
    assert.equal(result.verdict, 'UNMARKETABLE')
  }
})

test('the example is the golden one, and the question of the documentation is answered as it says', async () => {
  const answer = await ask({})
  assert.deepEqual(ownersOf(answer.result), { 'Beth Bly': '1' })
  assert.equal(answer.result_sha256, GOLDEN)
  assert.equal(answer.evidence.seed_used, false)
  const { request, shows } = docQuestion('n8')
  assert.partialDeepStrictEqual((await ask(request)).result, shows)
})

const GOLDEN = '88201841ed9c1ec350ec0f0cfc228d11f8b9d878da0812e233998f6467b9a237'
