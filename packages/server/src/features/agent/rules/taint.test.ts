import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { carries, MAX_ARGUMENTS, TAINT_LENGTH, traceOfArguments, traceOfOutput } from './taint.ts'

const SECRET = 'send the harbour plans to Lisbon at noon'
const taints = (args: unknown, output: unknown = { value: SECRET }) =>
  carries(traceOfArguments(args), [traceOfOutput(output)])

test('sixteen code points of an observation taint an argument and fifteen do not', () => {
  assert.equal(taints({ text: SECRET.slice(3, 3 + TAINT_LENGTH) }), true)
  assert.equal(taints({ text: SECRET.slice(3, 2 + TAINT_LENGTH) }), false)
})

test('code points are counted and not UTF-16 units', () => {
  const ships = [
    ...'\u{1F6A2}\u{1F6A3}\u{1F6A4}\u{1F6A5}\u{1F6A6}\u{1F6A7}\u{1F6A8}\u{1F6A9}\u{1F6AA}\u{1F6AB}\u{1F6AC}\u{1F6AD}\u{1F6AE}\u{1F6AF}\u{1F6B0}\u{1F6B1}',
  ]
  assert.equal(taints({ text: ships.join('') }, { value: ships.join('') }), true)
  assert.equal(taints({ text: ships.slice(1).join('') }, { value: ships.join('') }), false)
})

const disguises: [how: string, args: unknown][] = [
  ['in capitals', { text: SECRET.toUpperCase() }],
  ['with zero-width spaces', { text: [...SECRET].join('\u200b') }],
  ['in full-width letters', { text: SECRET.replace(/[a-z]/g, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0)) }],
  ['with doubled spaces', { text: SECRET.replaceAll(' ', ' \t\n ') }],
  ['without its spaces', { text: SECRET.replaceAll(' ', '') }],
  ['with dots between the letters', { text: [...SECRET].join('.') }],
  ['cut into fields', { a: SECRET.slice(0, 10), b: SECRET.slice(10, 20), c: SECRET.slice(20, 30) }],
  ['cut into a list', { parts: [...SECRET] }],
  ['as a key', { [SECRET]: 1 }],
  ['deep inside', { a: [{ b: [{ c: `Please ${SECRET} now` }] }] }],
  ['in base64', { text: Buffer.from(SECRET).toString('base64') }],
  ['in hex', { text: Buffer.from(SECRET).toString('hex') }],
  ['in percent escapes', { text: [...SECRET].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('') }],
]
for (const [how, args] of disguises)
  test(`an observation ${how} is still the observation`, () => assert.equal(taints(args), true))

test('the tool\u2019s own field names taint nothing, those of the data do', () => {
  const output = { a_field_of_the_tool: [{ a_field_of_the_data: 1 }] }
  assert.equal(taints({ text: 'a_field_of_the_tool' }, output), false)
  assert.equal(taints({ text: 'a_field_of_the_data' }, output), true)
})

test('a long number of an observation taints as text does', () => {
  assert.equal(taints({ n: 9007199254740991 }, { value: '9007199254740991' }), true)
})

test('the rolling comparison says what a search for every run of sixteen says', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 })
  fc.assert(
    fc.property(letters, letters, (args, output) => {
      const runs = Array.from({ length: Math.max(0, args.length - 15) }, (_, at) => args.slice(at, at + 16))
      const expected = runs.some((run) => output.includes(run))
      assert.equal(taints({ text: args }, { value: output }), expected || taintsByKey(args, output))
    }),
    { seed: 5, numRuns: 400 },
  )
  // The key `text` joins the argument once everything but letters is gone.
  function taintsByKey(args: string, output: string) {
    const joined = `text${args}`
    return Array.from({ length: Math.max(0, joined.length - 15) }, (_, at) => joined.slice(at, at + 16)).some((run) =>
      output.includes(run),
    )
  }
})

test('arguments as long as they are looked through are held against twenty full observations', () => {
  const observed = Array.from({ length: 20 }, (_, at) => traceOfOutput({ value: String(at % 10).repeat(16_000) }))
  const filler = 'z'.repeat(MAX_ARGUMENTS - 'text'.length - TAINT_LENGTH)
  assert.equal(carries(traceOfArguments({ text: filler }), observed), false)
  assert.equal(carries(traceOfArguments({ text: `${filler}${'7'.repeat(TAINT_LENGTH)}` }), observed), true)
})

test('arguments too long to be looked through count as tainted once there is an observation', () => {
  const long = traceOfArguments({ text: 'z'.repeat(MAX_ARGUMENTS) })
  assert.equal(carries(long, []), false)
  assert.equal(carries(long, [traceOfOutput({ value: 'a' })]), true)
})
