import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LOCKED_FORMULAS } from '../doctrine.ts'
import { checkFormulas } from './check.ts'
import { checkSemantics, lambdaCounterexample } from './lambda.ts'
import { loadRegistry, RegistryError, readRegistry, registryDigest } from './registry.ts'
import { formulaTiers } from './tiers.ts'
import { constantsLock, executedIds, lockDigest, registryLock, type Testimony, verifyKernel } from './witnesses.ts'

const TEXT = readFileSync(new URL('formula-registry.json', import.meta.url), 'utf8')
const LOCK_VECTOR = 'e7fd73286d1c5ccbfefab497764036ec4586f0496c417ecd3f18bcf497aba005'

// biome-ignore lint/suspicious/noExplicitAny: the tests damage the document in every place
type Document = any
/** The committed registry with a change, its digest made right again unless the change is to the digest. */
function changed(change: (document: Document) => void): Document {
  const document = JSON.parse(TEXT)
  change(document)
  if (document.digest?.value === JSON.parse(TEXT).digest.value && document.payload)
    document.digest.value = registryDigest(document.payload)
  return document
}

test('the committed registry holds the eight in doctrine order, F23 apart, and its own digest', () => {
  const { payload, digest } = readRegistry(TEXT)
  assert.deepEqual(
    payload.locked.map(({ id }) => id),
    [...LOCKED_FORMULAS],
  )
  assert.deepEqual(
    payload.conjectures.map(({ id }) => id),
    ['F23'],
  )
  assert.equal(digest.value, registryDigest(payload))
  assert.ok([...payload.locked, ...payload.conjectures].every(({ scope_note }) => scope_note.length > 10))
})

const refusals: [what: string, change: (document: Document) => void][] = [
  ['a ninth locked id', (d) => d.payload.locked.push({ ...d.payload.locked[0], id: 'F24' })],
  ['F23 in the locked set', (d) => d.payload.locked.push(...d.payload.conjectures.splice(0))],
  ['seven locked ids', (d) => d.payload.locked.pop()],
  ['an id twice', (d) => d.payload.locked.splice(1, 1, d.payload.locked[0])],
  ['two rows that changed places', (d) => d.payload.locked.reverse()],
  ['a second conjecture', (d) => d.payload.conjectures.push({ ...d.payload.conjectures[0], id: 'F99' })],
  [
    'a field nobody defined',
    (d) => {
      d.payload.locked[0].proved = true
    },
  ],
  [
    'a field less',
    (d) => {
      delete d.payload.locked[3].scope_note
    },
  ],
  [
    'an empty scope note',
    (d) => {
      d.payload.locked[3].scope_note = ' '
    },
  ],
  [
    'a maturity of its own making',
    (d) => {
      d.payload.locked[0].maturity = 'certain'
    },
  ],
  [
    'a locked conjecture',
    (d) => {
      d.payload.locked[0].maturity = 'conjecture'
    },
  ],
  [
    'another kernel commit',
    (d) => {
      d.payload.kernel_commit = 'deadbeef'
    },
  ],
  [
    'lambda as a theorem',
    (d) => {
      d.payload.lambda.is_theorem = true
    },
  ],
  [
    'another status of lambda',
    (d) => {
      d.payload.lambda.status = 'Theorem 1'
    },
  ],
  [
    'another doctrine',
    (d) => {
      d.payload.doctrine_version = 'v12'
    },
  ],
  [
    'another digest algorithm',
    (d) => {
      d.digest.algorithm = 'md5'
    },
  ],
  [
    'a digest that is wrong',
    (d) => {
      d.digest.value = '0'.repeat(64)
    },
  ],
  [
    'a further top field',
    (d) => {
      d.note = ''
    },
  ],
  [
    'no payload',
    (d) => {
      delete d.payload
    },
  ],
  [
    'a list for a payload',
    (d) => {
      d.payload = []
    },
  ],
]
for (const [what, change] of refusals)
  test(`a registry with ${what} is refused`, () => {
    assert.throws(() => loadRegistry(changed(change)), RegistryError)
  })

test('changing any single letter of the payload is found by the digest', () => {
  const from = TEXT.indexOf('"payload"')
  const letters = [...TEXT.matchAll(/[a-z]/g)].map(({ index }) => index).filter((index) => index > from)
  for (const at of letters.filter((_, i) => i % 7 === 0)) {
    const other = TEXT[at] === 'x' ? 'y' : 'x'
    assert.throws(() => readRegistry(TEXT.slice(0, at) + other + TEXT.slice(at + 1)), RegistryError)
  }
})

test('a duplicate key or trailing text is refused, not read leniently', () => {
  for (const text of [`${TEXT}x`, TEXT.replace('"schema"', '"schema":1,"schema"'), '', 'null', '[]'])
    assert.throws(() => readRegistry(text), RegistryError)
})

test('the lock digest is the agreed vector', () => {
  assert.equal(lockDigest(constantsLock()), LOCK_VECTOR)
  assert.equal(lockDigest({ ...constantsLock(), extra: 1 } as never), LOCK_VECTOR)
})

const registry = readRegistry(TEXT)
const [checks, counterexample] = [checkFormulas(), lambdaCounterexample()]
const tiers = formulaTiers({ registry, checks, semantics: checkSemantics(), counterexample })
const honest = (): Testimony[] => [
  { source: 'constants-module', lock: constantsLock() },
  { source: 'formula-registry.json', lock: registryLock(registry) },
  { source: 'executed-checks', ids: executedIds(checks) },
]

test('witnesses that agree verify the kernel and state one digest; the executed checks witness ids alone', () => {
  const found = verifyKernel(honest(), tiers.authority)
  assert.equal(found.verified, true)
  assert.equal(found.registry.agreed_lock_digest, LOCK_VECTOR)
  assert.equal(found.registry.witness_count, 3)
  assert.deepEqual(found.registry.witness_errors, [])
  const [constants, registered, executed] = found.registry.witnesses
  assert.deepEqual([constants?.lock_digest, registered?.lock_digest], [LOCK_VECTOR, LOCK_VECTOR])
  assert.deepEqual([executed?.kernel_commit, executed?.lambda_status, executed?.lock_digest], [null, null, null])
  assert.match(
    found.reason,
    /the specification states that the eight were proved at this pin; no proof was read or re-run here$/,
  )
})

const disputes: [what: string, source: string, change: (all: Testimony[]) => Testimony[]][] = [
  [
    'a ninth id',
    'formula-registry.json',
    (all) => withLock(all, 1, { locked_formula_ids: [...LOCKED_FORMULAS, 'F24'], locked_formula_count: 9 }),
  ],
  [
    'F23 inside',
    'formula-registry.json',
    (all) => withLock(all, 1, { locked_formula_ids: [...LOCKED_FORMULAS.slice(1), 'F23'] }),
  ],
  [
    'a failing F18 check',
    'executed-checks',
    (all) => [...all.slice(0, 2), { source: 'executed-checks', ids: executedIds(brokenF18()) }],
  ],
  ['a lambda that was promoted', 'formula-registry.json', (all) => withLock(all, 1, { lambda_status: 'Theorem 1' })],
  ['another commit', 'constants-module', (all) => withLock(all, 0, { kernel_commit: 'deadbeef' })],
  [
    'a registry that cannot be read',
    'formula-registry.json',
    (all) => [all[0]!, { source: 'formula-registry.json', error: 'one changed byte' }, ...all.slice(2)],
  ],
  ['a witness that is missing', 'executed-checks', (all) => all.slice(0, 2)],
  ['a witness that is heard twice', 'constants-module', (all) => [...all, all[0]!]],
]
const brokenF18 = () => checks.map((check) => (check.formula_id === 'F18' ? { ...check, passed: false } : check))
const withLock = (all: Testimony[], at: number, lock: object): Testimony[] =>
  all.map((one, i) => (i === at && 'lock' in one ? { ...one, lock: { ...one.lock, ...lock } } : one))

for (const [what, source, change] of disputes)
  test(`${what} leaves the kernel unverified and names ${source}`, () => {
    const found = verifyKernel(change(honest()), null)
    assert.equal(found.verified, false)
    assert.equal(found.checks.registry_digest_verified, false)
    assert.equal(found.registry.agreed_lock_digest, null)
    assert.deepEqual([...new Set(found.registry.witness_errors.map((error) => error.source))], [source])
  })

test('witnesses that agree on something else than the pin verify nothing', () => {
  const all = honest().map((one) =>
    'lock' in one ? { ...one, lock: { ...one.lock, kernel_commit: 'deadbeef' } } : one,
  )
  assert.equal(verifyKernel(all, null).verified, false)
})

test('the tiers hold eight locked, four semantic and three conjectured rows, and the authority nine', () => {
  assert.equal(tiers.locked_count, 8)
  assert.equal(tiers.tiers['LOCKED-PROVEN'].length, 8)
  assert.equal(tiers.tiers['SEMANTIC-VERIFIED'].length, 4)
  assert.deepEqual(
    tiers.tiers.CONJECTURE.map(({ id }) => id),
    ['Conjecture 1', 'Conjecture 2', 'Conjecture 3'],
  )
  const { payload, registry_digest } = tiers.authority
  assert.equal(registry_digest.value, registryDigest(payload))
  assert.equal(payload.covered_formula_ids.length, 9)
  assert.ok(payload.formulas.every((row) => row.can_authorize_action === false && row.applicability_required))
  assert.deepEqual(
    payload.formulas.filter((row) => !row.can_constrain_execution).map(({ id }) => id),
    ['F23'],
  )
  assert.deepEqual(
    payload.formulas.filter((row) => row.maturity === 'limited fragment').map(({ id }) => id),
    ['F12', 'F19'],
  )
  assert.deepEqual(payload.historical_non_authorities[0]?.ids, ['F1', 'F11', 'F12', 'F18', 'F19'])
})
