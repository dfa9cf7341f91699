import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { examineText } from '../decision/examine.ts'
import wordLists from './detectors/word-lists.json' with { type: 'json' }
import { loadRules } from './rules.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../rules/${name}`, import.meta.url), 'utf8'))
const rules = loadRules({
  gates: read('gates.json'),
  confusables: read('confusables.json'),
  scorer: read('threat-scorer.json'),
})

const circumstances = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const
const severities = (text: string, rule: string) =>
  examineText({ text, ...circumstances, rules, deadlineMs: 1e9, now: () => 0 })
    .findings.filter((finding) => finding.rule === rule)
    .map(({ severity }) => severity)

/** Deterministic, so that a failing text can be made again from the seed printed with it. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Draw = (below: number) => number
const digits = (draw: Draw, size: number): string =>
  Array.from({ length: size }, (_, at) => (at === 0 ? 1 + draw(9) : draw(10))).join('')
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const hex = (draw: Draw, size: number): string => times(size, () => draw(16).toString(16)).join('')
const one = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T
const rows = (draw: Draw, cell: () => string, mark: string): string[] => {
  const columns = 2 + draw(7)
  return times(3 + draw(12), () => times(columns, cell).join(mark))
}

const TEXTS: Record<string, (draw: Draw) => string> = {
  'a list': (draw) => {
    const size = 1 + draw(6)
    return times(10 + draw(40), () => digits(draw, size)).join(one(draw, [' ', ', ', '-', '\n', ' - ', '; ']))
  },
  'a list of mixed sizes': (draw) => times(10 + draw(40), () => digits(draw, 1 + draw(5))).join(' '),
  'comma separated values': (draw) => ['id,a,b', ...rows(draw, () => digits(draw, 1 + draw(6)), ',')].join('\n'),
  'tab separated values': (draw) => {
    const size = 2 + draw(5)
    return rows(draw, () => digits(draw, size), '\t').join('\n')
  },
  'a markdown table': (draw) =>
    rows(draw, () => digits(draw, 4), ' | ')
      .map((row) => `| ${row} |`)
      .join('\n'),
  'a matrix': (draw) => {
    const size = 1 + draw(5)
    return rows(draw, () => digits(draw, size), ' ').join('\n')
  },
  'a matrix of fractions': (draw) =>
    rows(draw, () => `${draw(2) === 0 ? '-' : ''}${draw(9)}.${digits(draw, 4 + draw(14))}`, ' ').join('\n'),
  'identifiers of one kind': (draw) => {
    const size = 6 + draw(14)
    return times(6 + draw(20), () => `${digits(draw, size)}`).join(one(draw, ['\n', ', ', ' ', ' OK\n']))
  },
  'universal ids': (draw) =>
    times(1 + draw(12), () => [8, 4, 4, 4, 12].map((size) => hex(draw, size)).join('-')).join('\n'),
  'universal ids of digits': (draw) =>
    times(1 + draw(6), () => [8, 4, 4, 4, 12].map((size) => digits(draw, size)).join('-')).join(' '),
  digests: (draw) => times(1 + draw(8), () => hex(draw, one(draw, [32, 40, 64]))).join('\n'),
  timestamps: (draw) =>
    times(1 + draw(20), () => {
      const at = 1_500_000_000_000 + draw(2 ** 32) * 100
      return one(draw, [String(at), String(at * 1000), `${at}000000`, new Date(at).toISOString(), String(at / 1000)])
    }).join(one(draw, ['\n', ' ', ' INFO done\n'])),
}

test('fewer than one in two hundred lists, tables, matrices, ids and timestamps holds a card', () => {
  const kinds = Object.entries(TEXTS)
  const found: string[] = []
  const total = 10_000
  for (let seed = 1; seed <= total; seed++) {
    const [kind, make] = kinds[seed % kinds.length] as [string, (draw: Draw) => string]
    if (severities(make(chance(seed * 7919)), 'P02').length > 0) found.push(`${kind}, seed ${seed}`)
  }
  assert.ok(found.length < total * 0.005, `${found.length} of ${total}: ${found.slice(0, 12).join('; ')}`)
})

const [VISA, AMEX, DINERS, LONG] = ['4539578763621486', '374912345678902', '36148900647913', '6212345678901232118']
const grouped = (number: string, sizes: readonly number[], mark: string): string =>
  sizes
    .map((size, at) => {
      const from = sizes.slice(0, at).reduce((sum, one) => sum + one, 0)
      return number.slice(from, from + size)
    })
    .join(mark)
const FOUR = [4, 4, 4, 4]

const LAYOUTS: Record<string, string> = {
  'bare beside the word': `card ${VISA}`,
  'the whole of a string': `{"value":"${VISA}"}`,
  'in a sentence': `The card number is ${VISA}, thank you.`,
  'bare before its expiry': `${VISA} 04/29`,
  'a column of bare ones': `${VISA}\n5500005555555559\n4916338506082832`,
  'four by four': grouped(VISA, FOUR, ' '),
  dashed: grouped(VISA, FOUR, '-'),
  dotted: grouped(VISA, FOUR, '.'),
  'with en dashes': grouped(VISA, FOUR, '\u2013'),
  'with no-break spaces': grouped(VISA, FOUR, '\u00a0'),
  'with two spaces': grouped(VISA, FOUR, '  '),
  tabbed: grouped(VISA, FOUR, '\t'),
  'one group to a line': grouped(VISA, FOUR, '\n'),
  'in brackets': `(${grouped(VISA, FOUR, ' ')})`,
  'with its expiry': `${grouped(VISA, FOUR, ' ')} 04/29 123`,
  'as a value of JSON': `{"pan":"${VISA}","exp":"0429"}`,
  'in comma separated values': `name,number,exp\nRoe,${VISA},04/29`,
  'in full-width digits': [...grouped(VISA, FOUR, ' ')]
    .map((one) => (one === ' ' ? one : String.fromCharCode(one.charCodeAt(0) + 0xfee0)))
    .join(''),
  'behind its name': `visa${VISA}`,
  'American Express': grouped(AMEX, [4, 6, 5], ' '),
  Diners: grouped(DINERS, [4, 6, 4], '-'),
  'nineteen digits': grouped(LONG, [6, 13], ' '),
  'digit by digit beside the word': `card number: ${[...VISA].join(' ')}`,
  'behind other numbers beside the word': `cards 1 2 3 ${grouped(VISA, FOUR, ' ')}`,
  'two cards, one to a line': `${grouped(VISA, FOUR, ' ')}\n${grouped('5500005555555559', FOUR, ' ')}`,
}

test('a card is found in every layout that people write it in', () => {
  assert.ok(Object.keys(LAYOUTS).length >= 20)
  for (const [layout, text] of Object.entries(LAYOUTS))
    assert.ok(severities(text, 'P02').includes('block'), `${layout}: ${text}`)
})

test('published test cards and specimen IBANs are noted, and no digit of them may be another', () => {
  for (const card of wordLists.specimens.testCards)
    assert.deepEqual(severities(`use ${card} here`, 'P02'), ['note'], card)
  for (const iban of wordLists.specimens.specimenIbans)
    assert.deepEqual(severities(`use ${iban} here`, 'P03'), ['note'], iban)
  assert.deepEqual(severities('charge 4111111111111129 here', 'P02'), ['block'])
})

test('a bare number that nothing says is a card is none, though one in forty has the issuer and the check digit', () => {
  for (const text of [VISA, `use ${VISA} here`, `${AMEX} and ${VISA}`, `id=${VISA}`, `order ${VISA} 12/05`])
    assert.deepEqual(severities(text, 'P02'), [], text)
})

test('beside a word that speaks of cards a number is found in the digits of any script and between any marks', () => {
  const number = '4539578763621486'
  const inScript = (zero: number) => [...number].map((digit) => String.fromCodePoint(zero + Number(digit))).join('')
  const parted = (mark: string) => `4539${mark}5787${mark}6362${mark}1486`
  for (const zero of [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10])
    assert.deepEqual(severities(`my card is ${inScript(zero)}`, 'P02'), ['block'], zero.toString(16))
  for (const mark of ['/', '_', '\u2014', '<b></b>', ' / ', '|', '\u2212', '<wbr>'])
    assert.deepEqual(severities(`my card is ${parted(mark)} thanks`, 'P02'), ['block'], mark)
  for (const text of [
    `我的信用卡号是${number}，请帮我付款`,
    `このクレジットカードは${number}です`,
    `クレジットカード ${number}`,
  ])
    assert.deepEqual(severities(text, 'P02'), ['block'], text)
  assert.deepEqual(severities(`今日は良い天気です${number}`, 'P02'), [])
  for (const text of ['path 4539/5787/6362/1486', 'on 12/05/2024 at 10/11', 'id_4539_5787_6362_1486'])
    assert.deepEqual(severities(text, 'P02'), [], text)
})

test('a string of JSON is a card, but not under a key that names another number', () => {
  for (const key of ['value', 'pan', 'number', 'cardNumber', 'identity'])
    assert.deepEqual(severities(`{"${key}": "${VISA}"}`, 'P02'), ['block'], key)
  assert.deepEqual(severities(`["${VISA}"]`, 'P02'), ['block'])
  for (const key of ['id', 'orderId', 'order_id', 'ticket', 'REF', 'tracking'])
    assert.deepEqual(severities(`{"${key}": "${VISA}", "count": 7}`, 'P02'), [], key)
  assert.deepEqual(severities(`{"id": "${VISA}", "card": true}`, 'P02'), ['block'])
})

test('a card has 13 to 19 digits and is no part of a longer row, though a word that speaks of cards stands near', () => {
  const card = grouped(VISA, FOUR, ' ')
  for (const text of [
    'the card 1234 5678 9012 3456 is an example',
    'my card number is 1234-5678-9012-3456, ok?',
    'gift card 5097-5946-3789',
    'card no 579281487168',
    `card 1200 ${card} 9034`,
    `card ${card} 9034 2210`,
    `card 12-${grouped(VISA, FOUR, '-')}`,
    `card ${[7, ...VISA, 7].join(' ')}`,
    'card 1234/5678/9012/3456',
  ])
    assert.deepEqual(severities(text, 'P02'), [], text)
})

test('beside its word a card is found next to its expiry, its check value, other cards and other numbers', () => {
  const [card, other] = [VISA, '5500005555555559'].map((number) => grouped(number, FOUR, ' '))
  for (const suffix of [' 04/29', ' 0429 123', ' 123', ' 2029', ' 04 29', '-12', '\n1200 3400'])
    assert.deepEqual(severities(`card ${card}${suffix}`, 'P02'), ['block'], suffix)
  assert.deepEqual(severities(`card ${card} ${other}`, 'P02'), ['block', 'block'])
  assert.deepEqual(severities(`card 1: ${card}; card 2: ${other}`, 'P02'), ['block', 'block'])
  assert.deepEqual(severities('UATP card 135412345678911', 'P02'), ['block'])
  assert.deepEqual(severities('card 4222222222222', 'P02'), ['note'], 'thirteen digits')
})
