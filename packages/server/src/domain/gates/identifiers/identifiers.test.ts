import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { type Draw, drawFrom, filledShape, randomNumberText, sibling, writtenIn } from '#testing/number-texts.ts'
import { examineText, redacted } from '../../decision/examine.ts'
import { PUBLIC_RULES } from '../finding.ts'
import { loadRules, type Rule } from '../rules.ts'
import { isIdentifier } from './identifiers.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../rules/${name}`, import.meta.url), 'utf8'))
const rules = loadRules({
  gates: read('gates.json'),
  confusables: read('confusables.json'),
  scorer: read('threat-scorer.json'),
})
const rows = rules.rules.filter(({ identifier }) => identifier !== null)
const SEED = 20_261_116

const circumstances = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const
const examined = (text: string) => examineText({ text, ...circumstances, rules, deadlineMs: 1e9, now: () => 0 })
const compact = (text: string) => text.replace(/[^0-9A-Za-z]/g, '')

/** The values in the examples of a row, without separators. */
const examplesOf = ({ match, identifier }: Rule): string[] =>
  match.flatMap((text) => (rules.identifiers.find(text, '').get(identifier!) ?? []).map(({ value }) => value!))

const EXPECTED = {
  block:
    'P28 wallet-key, P29 eth-private-key, P30 us-itin, P33 us-mbi, P36 ca-sin, P37 br-cpf, P39 mx-curp, P41 mx-clabe, ' +
    'P43 ar-cbu, P44 gb-nino, P47 fr-nir, P49 de-steuer-id, P50 de-rvnr, P51 de-kvnr, ' +
    'P52 it-codice-fiscale, P54 es-dni-nie, P55 tr-tckn, P57 ru-snils, P58 cn-resident-id, ' +
    'P59 jp-my-number, P60 kr-rrn, P62 in-aadhaar, P64 id-nik, P65 au-tfn, P66 au-medicare, ' +
    'P68 za-id, P69 sa-national-id, P70 nl-bsn, P71 be-rijksregister, P72 pl-pesel, ' +
    'P73 se-personnummer, P74 ch-ahv',
  hold: 'P34 us-dea, P35 us-driver, P40 mx-rfc, P42 ar-cuit, P45 gb-utr, P46 gb-driver, P56 ru-inn, ' + 'P63 in-pan',
  note:
    'P31 us-ein, P32 us-npi, P38 br-cnpj, P48 fr-siren, P53 it-partita-iva, P61 kr-brn, P67 au-abn, ' +
    'P80 mac-address, P81 btc-address, P82 eth-address',
}

test('the table holds these identifiers, each as grave as this', () => {
  const shown = Object.fromEntries(
    Map.groupBy(rows, ({ severity }) => severity.input)
      .entries()
      .map(([severity, own]) => [severity, own.map(({ id, validator }) => `${id} ${validator}`).join(', ')]),
  )
  assert.deepEqual(shown, EXPECTED)
  for (const { id, severity } of rows) assert.equal(severity.input, severity.output, id)
  const noted = rules.rules.filter(({ id, severity }) => id.startsWith('P') && severity.output === 'note')
  assert.deepEqual(new Set(noted.map(({ id }) => id)), PUBLIC_RULES)
})

test('every value is found in every shape beside every word of its row, to its last character', () => {
  for (const row of rows) {
    const values = examplesOf(row)
    for (const shape of [...row.shapes, ...row.plain_shapes].filter((one) => !one.includes('{'))) {
      const written = values.map((value) => writtenIn(shape, value)).find((one) => one !== null)
      assert.ok(written, `${row.id}: no example is written as ${shape}`)
      const words = row.context.length === 0 ? [''] : row.context
      for (const word of words) assertMasked(row, `\u{1f600} ${word} `, written, ', thanks')
      if (row.plain_shapes.includes(shape)) assertMasked(row, 'it reads ', written, ' here')
    }
  }
})

function assertMasked(row: Rule, before: string, written: string, behind: string): void {
  const text = `${before}${written}${behind}`
  const examination = examined(text)
  const found = examination.findings.find(({ rule }) => rule === row.id)
  assert.ok(found, `${row.id} not found: ${text}`)
  const from = [...before].length
  assert.deepEqual([found.start, found.end], [from, from + written.length], text)
  assert.ok(!redacted(text, examination).includes(written), text)
  assert.ok(found.sample_masked.length < 8 || !compact(written).includes(compact(found.sample_masked)), text)
}

test('a further value of each kind is found, and not without its word where the check leaves room for chance', () => {
  const draw = drawFrom(SEED)
  for (const row of rows.filter(({ validator }) => !UNDRAWN.includes(validator!))) {
    const example = examplesOf(row)[0]!
    const value = sibling(example, (one) => isIdentifier(row.validator!, one), draw)
    const context = row.context[0] ?? ''
    assert.ok(ids(`${context} ${value}`).includes(row.id), `${row.id}: ${context} ${value}`)
    const isPlain = row.plain_shapes.some((shape) => writtenIn(shape, value) === value)
    assert.equal(ids(`it reads ${value} here`).includes(row.id), isPlain, `${row.id}: ${value}`)
  }
})

/** Drawn anew they would not be found in any time. */
const UNDRAWN = ['btc-address', 'eth-address', 'wallet-key']
const ids = (text: string): string[] => examined(text).findings.map(({ rule }) => rule)

test('a key of the context is the word beside its value, in any case and spelling', () => {
  const found = (context: object) =>
    examineText({ text: 'x', context, ...circumstances, rules, deadlineMs: 1e9, now: () => 0 }).findings.map(
      ({ rule, pointer }) => `${rule} ${pointer}`,
    )
  assert.deepEqual(found({ sin: '272545336' }), ['P36 /sin'])
  assert.deepEqual(found({ customerCpf: '63860119885' }), ['P37 /customerCpf'])
  assert.deepEqual(found({ tax_file_number: '592480490' }), ['P65 /tax_file_number'])
  assert.deepEqual(found({ order: '272545336', amount: 63860119885 }), [])
})

test('a changed digit is found out by every check that has one', () => {
  for (const row of rows.filter(({ validator }) => !UNCHECKED.includes(validator!)))
    for (const value of examplesOf(row)) {
      const at = value.search(/[0-9][^0-9]*$/)
      const others = [...'0123456789'].filter((digit) => digit !== value.charAt(at))
      const passed = others.filter((digit) =>
        isIdentifier(row.validator!, value.slice(0, at) + digit + value.slice(at + 1)),
      )
      assert.ok(passed.length <= (row.validator === 'au-medicare' ? 9 : 1), `${row.id} ${value}: ${passed}`)
    }
})

/** These have a form and no checksum. */
const UNCHECKED = [
  ...[
    'us-itin',
    'us-ein',
    'us-mbi',
    'us-driver',
    'gb-nino',
    'gb-driver',
    'in-pan',
    'id-nik',
    'kr-rrn',
    'mac-address',
    'eth-private-key',
  ],
  'eth-address',
]

test('of 5,000 texts with random numbers none holds a number of a kind with a checksum', (t) => {
  t.diagnostic(`seed ${SEED}`)
  const draw = drawFrom(SEED)
  const checked = new Set(['P02', 'P03', 'P04', 'P07', ...rows.map(({ id }) => id)])
  for (let count = 0; count < 5000; count++) {
    const text = randomNumberText(draw)
    const found = ids(text).filter((id) => checked.has(id) && !['P80', 'P81', 'P82'].includes(id))
    assert.deepEqual(found, [], text)
  }
})

interface Oracle {
  validate(value: string): { isValid: boolean }
}

/** Our name and that of the library. Ours may refuse more: it asks for a part that theirs leaves out. Theirs may: it has
 *  a list of banks (CLABE), a clock (PESEL), takes no check digit 0 (CBU) and no SIRET for a SIREN. */
const ORACLES: Record<string, { file: string; refusesMore?: 'ours' | 'theirs' }> = {
  'ca-sin': { file: 'ca/sin', refusesMore: 'ours' },
  'br-cpf': { file: 'br/cpf' },
  'br-cnpj': { file: 'br/cnpj' },
  'mx-curp': { file: 'mx/curp', refusesMore: 'ours' },
  'mx-clabe': { file: 'mx/clabe', refusesMore: 'theirs' },
  'ar-cuit': { file: 'ar/cuit' },
  'ar-cbu': { file: 'ar/cbu', refusesMore: 'theirs' },
  'gb-nino': { file: 'gb/nino', refusesMore: 'ours' },
  'gb-utr': { file: 'gb/utr' },
  'fr-nir': { file: 'fr/nir', refusesMore: 'ours' },
  'fr-siren': { file: 'fr/siren', refusesMore: 'theirs' },
  'de-steuer-id': { file: 'de/idnr', refusesMore: 'ours' },
  'de-rvnr': { file: 'de/svnr', refusesMore: 'ours' },
  'it-codice-fiscale': { file: 'it/codicefiscale' },
  'it-partita-iva': { file: 'it/iva', refusesMore: 'ours' },
  'es-dni-nie': { file: 'es/nif', refusesMore: 'ours' },
  'tr-tckn': { file: 'tr/tckimlik' },
  'ru-inn': { file: 'ru/inn', refusesMore: 'ours' },
  'in-aadhaar': { file: 'in/aadhaar', refusesMore: 'ours' },
  'in-pan': { file: 'in/pan', refusesMore: 'ours' },
  'kr-brn': { file: 'kr/brn', refusesMore: 'ours' },
  'au-tfn': { file: 'au/tfn' },
  'au-abn': { file: 'au/abn' },
  'nl-bsn': { file: 'nl/bsn' },
  'pl-pesel': { file: 'pl/pesel', refusesMore: 'theirs' },
  'ch-ahv': { file: 'ch/ssn' },
}

/** Most are invalid whatever the shape, so half of them are made from an example, with a chance to be right. */
function drawn(row: Rule, draw: Draw): string {
  const example = examplesOf(row)[draw(3)]!
  const shapes = [...row.shapes, ...row.plain_shapes]
  if (draw(2) === 0) return compact(filledShape(shapes[draw(shapes.length)]!, draw))
  return example.replace(/[0-9]/g, (digit) => (draw(4) === 0 ? String(draw(10)) : digit))
}

test('on drawn values the checks agree with those of an independent library', (t) => {
  const load = createRequire(import.meta.url)
  const draw = drawFrom(SEED)
  for (const [validator, { file, refusesMore }] of Object.entries(ORACLES)) {
    const theirs = load(`stdnum/lib/cjs/${file}.js`) as Oracle
    const row = rows.find((one) => one.validator === validator)!
    let right = 0
    for (let count = 0; count < 1000; count++) {
      const value = drawn(row, draw).toUpperCase()
      const [own, other] = [isIdentifier(validator, value), theirs.validate(value).isValid]
      right += own ? 1 : 0
      const isExpected = refusesMore === (own ? 'theirs' : 'ours')
      if (!isExpected) assert.equal(own, other, `${validator} ${value}, seed ${SEED}`)
    }
    t.diagnostic(`${validator}: ${right} of 1000 valid for both`)
  }
})
