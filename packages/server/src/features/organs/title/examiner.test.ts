/** What a title examiner would object to. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testCompute } from '#testing/organs/live-gates.ts'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { title } from './organ.ts'

const organ = title({ compute: testCompute(after) })
const STATUTES = ['race', 'notice', 'race_notice'] as const
type Found = {
  owners: { name: string; fraction: string }[]
  defects: { code: string; instruments: string[] }[]
  open_liens: { id: string; binds: boolean }[]
  verdict: string
}
const search = async (instruments: readonly object[], statute: string, more: object = {}): Promise<Found> =>
  (await tryOrgan(organ, { parcel: 'lot', instruments, statute, root: 'O', ...more })).answer.result
const made =
  (type: string) =>
  (id: string, from: string, to: string, executed: string, recorded: string | null, more: object = {}) => ({
    ...{ id, type, grantor: from.split('&'), grantee: to.split('&'), executed, recorded, ...more },
  })
const [deed, mortgage, release, easement, probate] = ['deed', 'mortgage', 'release', 'easement', 'probate'].map(
  made,
) as [
  ReturnType<typeof made>,
  ReturnType<typeof made>,
  ReturnType<typeof made>,
  ReturnType<typeof made>,
  ReturnType<typeof made>,
]
/** Owners, verdict and defects in a line, under each statute. */
const judged = (instruments: readonly object[], more: object = {}) =>
  Promise.all(
    STATUTES.map(async (statute) => {
      const { owners, verdict, defects } = await search(instruments, statute, more)
      const names = owners.map(({ name, fraction }) => (fraction === '1' ? name : `${name} ${fraction}`)).join(', ')
      return `${names || 'nobody'}: ${verdict} ${defects.map(({ code }) => code).join(' ')}`.trim()
    }),
  )

test('a mortgage that a purchaser cut off by not knowing of it is not passed in silence', async () => {
  const lender = (recorded: string | null) => mortgage('om', 'O', 'M', '2020-01-01', recorded)
  const sale = deed('ob', 'O', 'B', '2020-02-01', '2020-04-01')
  assert.deepEqual(await judged([lender('2020-03-01'), sale]), [
    'B: CURABLE OPEN_LIEN',
    'B: CURABLE BONA_FIDES',
    'B: CURABLE OPEN_LIEN',
  ])
  assert.deepEqual(await judged([lender(null), sale]), [
    'B: CURABLE CUT_OFF',
    'B: CURABLE BONA_FIDES',
    'B: CURABLE BONA_FIDES',
  ])
  assert.deepEqual(await judged([lender('2020-05-01'), sale]), [
    'B: CURABLE CUT_OFF',
    'B: CURABLE BONA_FIDES',
    'B: CURABLE BONA_FIDES',
  ])
  const way = easement('om', 'O', 'N', '2020-01-01', '2020-03-01')
  assert.deepEqual(await judged([way, sale]), ['B: CURABLE EASEMENT', 'B: CURABLE BONA_FIDES', 'B: CURABLE EASEMENT'])
  const { defects } = await search([lender('2020-03-01'), sale], 'notice')
  assert.deepEqual(defects[0]!.instruments, ['om', 'ob'])
  // What a former owner charges after his deed is on the record charges nothing.
  const late = mortgage('om', 'O', 'M', '2020-05-01', '2020-05-02')
  assert.deepEqual(await judged([sale, late]), ['B: MARKETABLE', 'B: MARKETABLE', 'B: MARKETABLE'])
})

test('every case of a mortgage and a deed by one owner agrees with the statutes written out', async () => {
  // Independent of the organ: the sentence of each statute, for the second taker.
  for (const isLoanFirst of [true, false])
    for (const recordedFirst of [null, '2020-01-15', '2020-02-15', '2020-03-15'])
      for (const recordedSecond of [null, '2020-03-01'])
        for (const knew of [false, true])
          for (const value of [true, false]) {
            const [one, two] = isLoanFirst ? [mortgage, deed] : [deed, mortgage]
            const more = { for_value: value, ...(knew ? { knew_of: ['1'] } : {}) }
            const list = [
              one('1', 'O', 'First', '2020-01-01', recordedFirst),
              two('2', 'O', 'Second', '2020-02-01', recordedSecond, more),
            ]
            const isFirst = recordedSecond !== null && (recordedFirst === null || recordedSecond < recordedFirst)
            const isInnocent = !knew && (recordedFirst === null || recordedFirst > '2020-02-01')
            const wins = { race: isFirst, notice: isInnocent, race_notice: isInnocent && isFirst }
            for (const statute of STATUTES) {
              const { owners, open_liens, verdict } = await search(list, statute)
              const isSecond = value && wins[statute]
              assert.deepEqual(
                [owners.map(({ name }) => name), open_liens.map(({ binds }) => binds)],
                [[isLoanFirst ? 'Second' : 'First'], [isSecond !== isLoanFirst]],
                JSON.stringify([statute, list]),
              )
              const isStray = !isLoanFirst && recordedFirst === '2020-01-15'
              assert.equal(verdict, isStray ? 'MARKETABLE' : 'CURABLE', JSON.stringify([statute, list]))
            }
          }
})

test('of two deeds of one day nobody is taken for the first', async () => {
  const pair = (recordedA: string | null, recordedB: string | null, more = {}) => [
    deed('oa', 'O', 'A', '2020-01-01', recordedA),
    deed('ob', 'O', 'B', '2020-01-01', recordedB, more),
  ]
  const undecided = 'nobody: UNMARKETABLE ORDER_UNCERTAIN'
  assert.deepEqual(await judged(pair(null, null)), [undecided, undecided, undecided])
  assert.deepEqual(await judged(pair('2020-01-01', '2020-01-01')), [undecided, undecided, undecided])
  // The race is run on the record, whoever was first; without it the last one to buy without notice would win.
  assert.deepEqual(await judged(pair('2020-01-05', '2020-01-06')), [
    'A: CURABLE RIVAL_CLAIM',
    undecided,
    'A: UNMARKETABLE BONA_FIDES',
  ])
  assert.deepEqual(await judged(pair('2020-01-05', null)), [
    'A: CURABLE RIVAL_CLAIM',
    undecided,
    'A: UNMARKETABLE BONA_FIDES',
  ])
  // Who knew of the other deed bought after it.
  assert.deepEqual(await judged(pair(null, null, { knew_of: ['oa'] })), [
    'A: CURABLE RIVAL_CLAIM UNRECORDED',
    'A: UNMARKETABLE BONA_FIDES UNRECORDED',
    'A: CURABLE RIVAL_CLAIM UNRECORDED',
  ])
  // A later purchaser without notice settles it.
  const settled = [...pair(null, '2020-01-05'), deed('bc', 'B', 'C', '2020-03-01', '2020-03-02')]
  for (const outcome of await judged(settled)) assert.match(outcome, /^C: /)
  const { defects } = await search(pair(null, null), 'race')
  assert.deepEqual(defects[0]!.instruments.sort(), ['oa', 'ob'])
})

test('halves given on one day are no rivals, and what goes to and fro on one day ends where it began', async () => {
  const halves = ['A', 'B'].map((name) => deed(name, 'O', name, '2020-01-01', '2020-01-02', { fraction: '1/2' }))
  for (const outcome of await judged(halves)) assert.equal(outcome, 'A 1/2, B 1/2: MARKETABLE')
  const [more] = await judged([...halves, deed('C', 'O', 'C', '2020-01-01', '2020-01-02', { fraction: '1/2' })])
  assert.equal(more, 'nobody: UNMARKETABLE ORDER_UNCERTAIN')
  // Out of a trust, charged, and back into it.
  const [there, then] = ['2010-01-01', '2020-01-01']
  const trust = [
    deed('1', 'O', 'Trust', there, '2010-01-02'),
    deed('3', 'Ann', 'Trust', then, then),
    deed('2', 'Trust', 'Ann', then, then),
  ]
  for (const outcome of await judged(trust)) assert.equal(outcome, 'Trust: MARKETABLE')
  // Two owners who swap on one day: whoever gave last has nothing.
  const swap = [deed('ab', 'A', 'B', '2021-01-01', '2021-01-02'), deed('ba', 'B', 'A', '2021-01-01', '2021-01-02')]
  for (const outcome of await judged([...halves, ...swap]))
    assert.match(outcome, /^nobody: UNMARKETABLE ORDER_UNCERTAIN/)
})

test('a deed that confirms another one to the same grantee is no rival of it', async () => {
  const twice = (executed: string, recorded: string | null) => [
    deed('1', 'O', 'A&B', '2020-01-01', recorded),
    deed('2', 'O', 'B&A', executed, '2021-01-02'),
    deed('3', 'A&B', 'C', '2022-01-01', '2022-01-02'),
  ]
  for (const outcome of await judged(twice('2020-01-01', '2020-01-02'))) assert.equal(outcome, 'C: MARKETABLE')
  for (const outcome of await judged(twice('2020-01-01', null))) assert.equal(outcome, 'C: MARKETABLE')
  for (const outcome of await judged(twice('2021-01-01', '2020-01-02'))) assert.equal(outcome, 'C: MARKETABLE')
})

test('a deed of the day of the probate, a sale and a mortgage of one day are left open', async () => {
  const death = [probate('p', 'O', 'H', '2020-01-01', '2020-01-02'), deed('d', 'O', 'B', '2020-01-01', '2020-01-02')]
  for (const outcome of await judged(death)) assert.equal(outcome, 'nobody: UNMARKETABLE ORDER_UNCERTAIN')
  const closing = [
    deed('ob', 'O', 'B', '2020-01-01', '2020-01-01'),
    mortgage('om', 'O', 'M', '2020-01-01', '2020-01-01'),
  ]
  for (const outcome of await judged(closing)) assert.equal(outcome, 'B: CURABLE OPEN_LIEN ORDER_UNCERTAIN')
  // The purchase money of the same closing is a charge on what the buyer has.
  const money = [closing[0]!, mortgage('bm', 'B', 'M', '2020-01-01', '2020-01-01')]
  for (const outcome of await judged(money)) assert.equal(outcome, 'B: CURABLE OPEN_LIEN')
})

test('a title that is won because the other one knew hangs on what no record shows', async () => {
  const knew = [
    deed('oa', 'O', 'A', '2020-01-01', '2020-04-01'),
    deed('ob', 'O', 'B', '2020-02-01', '2020-03-01', { knew_of: ['oa'] }),
  ]
  assert.deepEqual(await judged(knew), [
    'B: CURABLE RIVAL_CLAIM',
    'A: UNMARKETABLE BONA_FIDES',
    'A: UNMARKETABLE BONA_FIDES',
  ])
  // A deed that recites the other one shows it on the record; to know of a charge on it is to be told to ask.
  const recites = [knew[0]!, { ...knew[1]!, knew_of: [], refs: ['oa'] }]
  assert.deepEqual((await judged(recites)).slice(1), ['A: CURABLE RIVAL_CLAIM', 'A: CURABLE RIVAL_CLAIM'])
  const charge = mortgage('am', 'A', 'M', '2020-01-10', null)
  for (const outcome of (await judged([knew[0]!, charge, { ...knew[1]!, knew_of: ['am'] }])).slice(1))
    assert.match(outcome, /^A: UNMARKETABLE BONA_FIDES OPEN_LIEN/)
})

test('whoever sold twice takes no shelter behind the one he sold to when he buys back', async () => {
  const back = [
    deed('oa', 'O', 'A', '2020-01-01', null),
    deed('ob', 'O', 'B', '2020-02-01', '2020-02-02'),
    deed('bo', 'B', 'O', '2020-03-01', '2020-03-02'),
  ]
  for (const outcome of await judged(back)) assert.match(outcome, /^A: /)
  // A stranger who buys it back has the shelter, and so has who buys from the old owner without notice.
  for (const outcome of await judged(
    back.with(2, deed('bc', 'B', 'C', '2020-03-01', '2020-03-02', { knew_of: ['oa'] })),
  ))
    assert.match(outcome, /^C: /)
  for (const outcome of await judged([...back, deed('oc', 'O', 'C', '2020-04-01', '2020-04-02')]))
    assert.match(outcome, /^C: /)
})

test('who lends without notice to a buyer who knew comes before the first buyer', async () => {
  const line = [
    deed('oa', 'O', 'A', '2020-01-01', '2020-06-01'),
    deed('ob', 'O', 'B', '2020-02-01', '2020-02-02', { knew_of: ['oa'] }),
    mortgage('bm', 'B', 'M', '2020-03-01', '2020-03-02'),
  ]
  for (const statute of ['notice', 'race_notice']) {
    const { owners, open_liens } = await search(line, statute)
    assert.deepEqual([owners[0]!.name, open_liens.map(({ binds }) => binds)], ['A', [true]])
  }
  const { open_liens } = await search(line.with(2, { ...line[2]!, knew_of: ['oa'] } as never), 'notice')
  assert.equal(open_liens[0]!.binds, false)
})

test('a charge binds the owner who gave it before he acquired, and the half whose buyer knew of it', async () => {
  const before = [
    mortgage('bm', 'B', 'M', '2020-01-01', '2020-01-02'),
    deed('ob', 'O', 'B', '2020-02-01', '2020-02-02'),
  ]
  for (const outcome of await judged(before)) assert.equal(outcome, 'B: CURABLE OPEN_LIEN')
  const halves = [
    mortgage('om', 'O', 'M', '2020-01-01', '2020-06-01'),
    deed('oc', 'O', 'C', '2020-02-01', '2020-02-02', { fraction: '1/2' }),
    deed('od', 'O', 'D', '2020-02-01', '2020-02-02', { fraction: '1/2', knew_of: ['om'] }),
  ]
  assert.equal((await search(halves, 'notice')).open_liens[0]!.binds, true)
  const innocent = halves.map((one) => ({ ...one, knew_of: [] }))
  assert.equal((await search(innocent, 'notice')).open_liens[0]!.binds, false)
})

test('a release ends a lien if all who hold it made it, after the lien', async () => {
  const line = [
    mortgage('om', 'O', 'M&N', '2020-01-01', '2020-01-02'),
    deed('ob', 'O', 'B', '2020-03-01', '2020-03-02'),
  ]
  const freed = (id: string, by: string, executed: string) =>
    release(id, by, 'O', executed, '2020-03-02', { refs: ['om'] })
  const outcomeOf = async (...releases: object[]) => (await judged([...line, ...releases]))[2]
  assert.equal(await outcomeOf(freed('r', 'M&N', '2020-02-01')), 'B: MARKETABLE')
  assert.equal(await outcomeOf(freed('r', 'M&N', '2020-01-01')), 'B: MARKETABLE')
  assert.equal(await outcomeOf(freed('r', 'M', '2020-02-01')), 'B: CURABLE OPEN_LIEN PARTIAL_RELEASE')
  assert.equal(await outcomeOf(freed('r', 'M', '2020-02-01'), freed('s', 'N', '2020-02-02')), 'B: MARKETABLE')
  assert.equal(await outcomeOf(freed('r', 'M&N', '2019-12-01')), 'B: CURABLE OPEN_LIEN RELEASE_BEFORE_LIEN')
  assert.equal(await outcomeOf(freed('r', 'Z', '2020-02-01')), 'B: CURABLE OPEN_LIEN RELEASE_BY_STRANGER')
  const other = release('r', 'M', 'O', '2020-02-01', '2020-02-02', { refs: ['ob'] })
  assert.equal(await outcomeOf(other), 'B: CURABLE OPEN_LIEN RELEASE_UNMATCHED')
})

test('where two lines of one day may be the first of the record, no root is assumed', async () => {
  const lines = [deed('1', 'X', 'Y', '2020-01-01', '2020-01-02'), deed('2', 'Z', 'W', '2020-01-01', '2020-01-02')]
  const { answer } = await tryOrgan(organ, { parcel: 'lot', instruments: lines })
  const { owners, verdict, defects } = answer.result as Found
  assert.deepEqual([owners, verdict, defects.map(({ code }) => code)], [[], 'UNMARKETABLE', ['ROOT_UNCERTAIN']])
  const [named] = await judged(lines, { root: 'X' })
  assert.equal(named, 'Y: CURABLE WILD_DEED')
})

test('two hundred deeds between the same eight parties leave the loop to others', async () => {
  const party = (at: number) => Array.from({ length: 8 }, (_, one) => `${'name '.repeat(8)}${(at + one) % 8}`)
  const dense = Array.from({ length: 200 }, (_, at) => ({
    ...{ id: `d${at}`, type: 'deed', grantor: party(at), grantee: party(at), recorded: null },
    executed: `20${10 + Math.floor(at / 28)}-01-${String(1 + (at % 28)).padStart(2, '0')}`,
  }))
  const root = party(0)[0]!
  const { value, turns } = await countTurns(() => search(dense, 'race_notice', { root }))
  assert.deepEqual([value.owners, value.verdict], [[], 'UNMARKETABLE'])
  assert.ok(turns > 3, `the loop turned ${turns} times`)
})

test('a burden under almost the name of an owner is one to ask about, and under another name it is not', async () => {
  const owned = deed('oa', 'O', 'John A Smith', '2010-01-01', '2010-01-02')
  for (const statute of STATUTES) {
    const near = await search([owned, mortgage('m', 'Jon A Smith', 'Bank', '2012-01-01', '2012-01-02')], statute)
    assert.deepEqual(
      [near.verdict, near.defects.map(({ code, instruments }) => [code, instruments])],
      ['CURABLE', [['NAME_VARIANCE', ['m']]]],
    )
    const far = await search([owned, mortgage('m', 'Zoe Quill', 'Bank', '2012-01-01', '2012-01-02')], statute)
    assert.deepEqual([far.verdict, far.defects], ['MARKETABLE', []])
    const freed = release('r', 'Bank', 'Jon A Smith', '2013-01-01', '2013-01-02', { refs: ['m'] })
    const ended = await search(
      [owned, mortgage('m', 'Jon A Smith', 'Bank', '2012-01-01', '2012-01-02'), freed],
      statute,
    )
    assert.equal(ended.verdict, 'MARKETABLE')
  }
})
