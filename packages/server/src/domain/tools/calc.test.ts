import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { calculate, MAX_EXPRESSION, MAX_NESTING } from './calc.ts'

const resultOf = (expression: string) => {
  const result = calculate(expression)
  assert.ok(result.ok, `${expression}: ${result.ok ? '' : result.reason}`)
  return result.value
}

const cases: [expression: string, value: string][] = [
  ['2+3*4', '14'],
  ['(2+3)*4', '20'],
  ['0.1+0.2', '0.3'],
  ['1/3*3', '1'],
  ['-2--3', '1'],
  ['2*-3', '-6'],
  ['---1', '-1'],
  ['.5*.5', '0.25'],
  ['10/4', '2.5'],
  ['1/3', '0.33333333333333333333'],
  ['2/3', '0.66666666666666666667'],
  ['-2/3', '-0.66666666666666666667'],
  ['1/8000000000000000000000', '0'],
  ['-1/8000000000000000000000', '0'],
  ['0.00000000000000000001/2', '0'],
  ['0.00000000000000000003/2', '0.00000000000000000002'],
  ['9007199254740993*1', '9007199254740993'],
  [' 1 +\t2 ', '3'],
]
for (const [expression, value] of cases)
  test(`${expression.trim()} is ${value}`, () => assert.equal(resultOf(expression), value))

test('a quotient that does not end says how it was rounded', () => {
  assert.deepEqual(calculate('1/3'), {
    ok: true,
    value: '0.33333333333333333333',
    exact: false,
    rounding: 'half to even at 20 decimals',
  })
  assert.deepEqual(calculate('1/4'), { ok: true, value: '0.25', exact: true, rounding: null })
})

test('sums, differences and products of whole numbers are what BigInt says they are', () => {
  const sign = fc.constantFrom('+', '-', '*')
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), sign, (a, b, operator) => {
      const expected = operator === '+' ? a + b : operator === '-' ? a - b : a * b
      assert.equal(resultOf(`(${a})${operator}(${b})`), String(expected))
    }),
    { seed: 1 },
  )
})

test('a quotient is within half a unit of its last digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 9n }), (a, b) => {
      const shown = resultOf(`${a}/${b}`)
      const [whole = '', places = ''] = shown.replace('-', '').split('.')
      const scaled = BigInt(whole + places.padEnd(20, '0')) * (shown.startsWith('-') ? -1n : 1n)
      const off = scaled * b - a * 10n ** 20n
      assert.ok((off < 0n ? -off : off) * 2n <= b, `${a}/${b} = ${shown}`)
    }),
    { seed: 2 },
  )
})

const refused = [
  '',
  '1+',
  '(1',
  '1)',
  '1//2',
  '1e9',
  '2**9',
  '2^9',
  '1_000',
  '1.',
  '0x10',
  'NaN',
  'process.exit()',
  '1,5',
  '\u0661+\u0662',
  '1/0',
  '1/(2-2)',
  '1 2',
]
for (const expression of refused)
  test(`${JSON.stringify(expression)} is no expression, and the answer says where or why`, () => {
    const result = calculate(expression)
    assert.equal(result.ok, false)
    assert.match((result as { reason: string }).reason, /\w/)
  })

test('parentheses as deep as allowed are read and one more pair is refused', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`
  assert.equal(resultOf(nested(MAX_NESTING)), '1')
  assert.equal(calculate(nested(MAX_NESTING + 1)).ok, false)
})

test('a bomb of digits, signs or divisions is refused by its length or answered in bounded digits', () => {
  assert.equal(calculate('9'.repeat(1_000_000)).ok, false)
  assert.equal(resultOf(`${'-'.repeat(MAX_EXPRESSION - 1)}1`), MAX_EXPRESSION % 2 === 0 ? '-1' : '1')
  const chain = Array.from({ length: 250 }, () => '1/7').join('+')
  assert.ok(resultOf(chain).length < MAX_EXPRESSION)
  assert.ok(resultOf('9'.repeat(MAX_EXPRESSION)).length === MAX_EXPRESSION)
})

test('whatever text arrives, the answer is a number or a reason and never an exception', () => {
  const pieces = fc.array(fc.constantFrom('1', '0', '.', '+', '-', '*', '/', '(', ')', ' ', 'e', 'x', '\u0000'))
  fc.assert(
    fc.property(pieces, (parts) => {
      const result = calculate(parts.join(''))
      assert.ok(result.ok ? /^-?\d+(\.\d+)?$/.test(result.value) : result.reason.length > 0)
    }),
    { seed: 3, numRuns: 500 },
  )
})
