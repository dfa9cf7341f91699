import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { examineText } from '../decision/examine.ts'
import { loadRules, RulesError, rulesDigest } from './rules.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../rules/${name}`, import.meta.url), 'utf8'))
const gates = read('gates.json')
const confusables = read('confusables.json')
const scorer = read('threat-scorer.json')
const rules = loadRules({ gates, confusables, scorer })

/** The rules about data are silent about a person's own words. */
const originOf = (id: string) => (['T15', 'T21', 'T23', 'T24', 'T25'].includes(id) ? 'retrieved' : 'user')
const found = (text: string, id: string) =>
  examineText({
    text,
    direction: 'input',
    origin: originOf(id),
    effect: 'none',
    declared: 'PUBLIC',
    rules,
    deadlineMs: 50,
    now: () => 0,
  }).findings.map(({ rule }) => rule)

for (const rule of rules.rules) {
  test(`${rule.id} ${rule.title}: every match example is found, no other is`, () => {
    for (const text of rule.match) assert.ok(found(text, rule.id).includes(rule.id), `not found: ${text}`)
    for (const text of rule.no_match) assert.ok(!found(text, rule.id).includes(rule.id), `found: ${text}`)
    assert.ok(rule.match.length >= 3 && rule.no_match.length >= 3)
  })
}

test('the shipped rules are the contracted ones with their severities by direction', () => {
  const severities = Object.fromEntries(
    rules.rules.map(({ id, severity }) => [id, `${severity.input}/${severity.output}`]),
  )
  const expected = {
    'block/hold': ['T01', 'T02', 'T03', 'T04', 'T06', 'T07', 'T17', 'T20'],
    'hold/block': ['T08', 'T10', 'P09', 'P25', 'P26', 'P27'],
    'hold/hold': ['T09', 'T11', 'T15', 'T16', 'T18', 'T21', 'T23', 'T24', 'T25'],
    'block/block': ['T05', 'T12', 'T19', 'P01', 'P02', 'P03', 'P04', 'P07', 'P08', 'P20', 'P21', 'P22', 'P23', 'P24'],
    'hold/note': ['T13', 'T22'],
    'note/hold': ['T14'],
    'note/note': ['P05', 'P06', 'P83'],
  }
  for (const [severity, ids] of Object.entries(expected))
    for (const id of ids) assert.equal(severities[id], severity, id)
  const identifiers = rules.rules.filter(({ identifier }) => identifier !== null)
  assert.equal(Object.values(expected).flat().length + identifiers.length, rules.rules.length)
})

const withRule = (change: object) => ({ ...gates, rules: [{ ...gates.rules[0], ...change }, ...gates.rules.slice(1)] })
const withDetector = (detector: string) => {
  const { pattern: _, ...rest } = gates.rules[0]
  return { ...gates, rules: [{ ...rest, detector }] }
}
const refused = (document: unknown, reason: RegExp) =>
  assert.throws(
    () => loadRules({ gates: document, confusables, scorer }),
    (error) => error instanceof RulesError && reason.test(error.message),
  )

test('there is no expression language in the rules: other patterns and odd words are refused', () => {
  refused(withRule({ pattern: { regex: '(a+)+$' } }), /words and literals are all there is/)
  for (const word of ['(a+)+', 'a|b', '\\1', '(?=x)', 'a*', '.', 'A', 'a  b'])
    refused(withRule({ pattern: { words: [{ within: 6, slots: [[word]] }] } }), /not a phrase of plain words/)
})

test('a bad rule leaves no rules at all', () => {
  refused(null, /no object/)
  refused({ ...gates, schema: 'other' }, /orch.gate-rules/)
  refused({ ...gates, rules: [] }, /no rules/)
  refused({ ...gates, rules: [...gates.rules, gates.rules[0]] }, /one id/)
  refused(withRule({ severity: { input: 'fatal', output: 'hold' } }), /severity/)
  refused(withRule({ match: ['one'] }), /three examples/)
  refused(withRule({ surprise: 1 }), /unknown field surprise/)
  refused(withDetector('eval'), /no detector eval/)
  refused(withDetector('toString'), /no detector toString/)
  refused(withRule({ pattern: { words: [{ within: 99, slots: [['a']] }] } }), /within 1 to/)
  refused(withRule({ pattern: { words: [{ within: 6, slots: [['$nowhere']] }] } }), /no set/)
  assert.throws(() => loadRules({ gates, confusables: {}, scorer }))
})

test('the digest covers every rule and no white space', () => {
  assert.equal(rulesDigest(JSON.parse(JSON.stringify(gates, null, 4))), rules.digest)
  assert.notEqual(rulesDigest(withRule({ version: 99 })), rules.digest)
})
