import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { examineText } from '../decision/examine.ts'
import { loadRules } from './rules.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../rules/${name}`, import.meta.url), 'utf8'))
const rules = loadRules({
  gates: read('gates.json'),
  confusables: read('confusables.json'),
  scorer: read('threat-scorer.json'),
})

const circumstances = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const
const found = (text: string, rule: string) =>
  examineText({ text, ...circumstances, rules, deadlineMs: 1e9, now: () => 0 })
    .values.filter((value) => value.rule === rule)
    .map(({ start, end }) => text.slice(start, end))

test('a file and the address of a repository are no mail address', () => {
  for (const text of [
    'icon@2x.png',
    'see icon@2x.PNG, logo@3x.webp and app@1.2.tgz',
    'git@github.com:org/repo.git',
    'git clone git@gitlab.example.org:team/app.git.',
    'ssh://git@example.org:2222/team/app.git',
  ])
    assert.deepEqual(found(text, 'P05'), [], text)
})

test('a mail address is found before a colon, a path and a file that is no repository', () => {
  for (const [text, address] of [
    ['scp notes.txt bob@example.com:notes.txt', 'bob@example.com'],
    ['bob@example.com: repo.git is gone', 'bob@example.com'],
    ['bob@example.com/index.html', 'bob@example.com'],
    ['png@example.js.org', 'png@example.js.org'],
  ] as const)
    assert.deepEqual(found(text, 'P05'), [address], text)
})

test('a slash behind an area code belongs to a telephone number where a word says so', () => {
  for (const number of ['030/901820', '089/12345678', '030/90 18 20', '030/901820-11'])
    assert.deepEqual(found(`tel. ${number}, please`, 'P06'), [number], number)
  for (const text of ['file 030/901820', 'call by 05/2024 or 01/02/2024', 'call 12/345678'])
    assert.deepEqual(found(text, 'P06'), [], text)
})

test('a place or a model that holds a word of telephones does not make a number one', () => {
  for (const text of ['tel aviv 12345678', 'phone model 3310-2023', 'my mobile phone model is 3310-2023'])
    assert.deepEqual(found(text, 'P06'), [], text)
  for (const text of ['phone 3310-2023', 'tel aviv, tel 3310-2023', 'phone model A1, phone 3310-2023'])
    assert.deepEqual(found(text, 'P06'), ['3310-2023'], text)
})

test('the call of a function is no secret, nor are words between hyphens under a name that is no password', () => {
  for (const text of [
    'password: getPasswordFromKeychain()',
    'secret = computeSharedSecretFromPeer(key)',
    'token="pagination-cursor-next-page-2"',
    'api_key: mellow-heron-blue-4821',
  ])
    assert.deepEqual(found(text, 'P26'), [], text)
  for (const text of [
    'password: correct-horse-battery-staple-42',
    'passphrase=correct-horse-battery-staple-42',
    'token=qxzt-4821-kjvb-0937-wrtp',
    'token=pagination-q7Rk2Zp9Xv4-page-2',
    'password=Zx9kQ2vB7mLp4Wdxa(b',
  ])
    assert.equal(found(text, 'P26').length, 1, text)
})
