import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import {
  A,
  AT,
  B,
  type Changes,
  checked,
  contested,
  fact,
  identity,
  oneMissing,
  pick,
  readback,
  spaceAt,
  spaces,
  version,
} from '#testing/identity-facts.ts'
import type { BuildFacts } from '../../ports.ts'
import type { SpaceReading } from '../readings/contract.ts'
import { DECLARED_CHECKS } from './contract.ts'
import { type Assembled, assessHonesty } from './honesty.ts'
import { VersionRecord } from './schemas.ts'

const schema = Compile(VersionRecord)
const HONEST = { configured_is_operational: false, conjecture_promoted: false, doi_invented: false }

/** Every value the facts and readings can take where the record treats them differently. */
const SPACE_OF_FACTS = {
  gitSha: [fact(null), fact(A, 'env:ORCH_GIT_SHA'), fact(B, 'build-record.json')],
  observedCommit: [fact(null), fact(A, 'git')],
  workingTree: [fact<'CLEAN'>(null), fact('CLEAN', 'git'), fact('DIRTY', 'git')],
  conflicts: [[], contested],
  matchesRecord: [null, true, false],
  releaseTag: [fact(null), fact('v1.1.0'), fact('v9.9.9')],
  software: [fact(null), fact('10.1234/c'), fact('10.1234/d')],
  readback: [null, readback, { ...readback, commit: B, doi: null }, { ...readback, assets: [] }],
  record: [null, checked, { ...checked, passed: oneMissing }, { ...checked, gitSha: B }],
  space: Object.values(spaces),
  spaceSha: [fact(null), fact(A)],
} as const
type Choice = { [K in keyof typeof SPACE_OF_FACTS]: (typeof SPACE_OF_FACTS)[K][number] }

const chosen = (choice: Choice): Changes => ({
  build: pick(choice, 'gitSha', 'observedCommit', 'workingTree', 'conflicts', 'matchesRecord') as Partial<BuildFacts>,
  identity: {
    ...pick(choice, 'releaseTag', 'readback', 'spaceSha'),
    doi: { ...identity.doi, software: choice.software },
    checks: { declared: DECLARED_CHECKS, record: choice.record },
  },
  space: choice.space,
})

function* everyChoice(): Generator<Choice> {
  const names = Object.keys(SPACE_OF_FACTS) as (keyof Choice)[]
  const sizes = names.map((name) => SPACE_OF_FACTS[name].length)
  const total = sizes.reduce((product, size) => product * size, 1)
  for (let at = 0; at < total; at++) {
    let rest = at
    const entries = names.map((name, index) => {
      const place = rest % (sizes[index] as number)
      rest = Math.floor(rest / (sizes[index] as number))
      return [name, SPACE_OF_FACTS[name][place]]
    })
    yield Object.fromEntries(entries) as Choice
  }
}

test('in no combination of facts and readings does the record show more than is known', () => {
  let seen = 0
  for (const choice of everyChoice()) {
    const shown = version(chosen(choice))
    const { configured_is_operational: one, conjecture_promoted: two, doi_invented: three } = shown.honesty
    if (one || two || three) assert.fail(JSON.stringify({ choice, shown }))
    if (shown.p6_status === 'SIGNED_OFF' && choice.workingTree.value !== 'CLEAN') assert.fail(JSON.stringify(shown))
    const claims = shown.release_state === 'VERIFIED' || shown.p6_status === 'SIGNED_OFF'
    if (claims && (choice.observedCommit.value !== shown.git_sha || choice.matchesRecord === false))
      assert.fail(JSON.stringify({ choice, shown }))
    if (shown.hosted_space_sha !== 'unknown' && choice.space.sha === null) assert.fail(JSON.stringify(shown))
    seen += 1
  }
  assert.equal(seen, 3 * 2 * 3 * 2 * 3 * 3 * 3 * 4 * 4 * 4 * 2)
})

test('whatever texts and times the facts hold, the record fits its schema and stays honest', () => {
  const commit = fc.stringMatching(/^[1-9a-f][0-9a-f]{39}$/)
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
  const doi = maybe(fc.stringMatching(/^10\.\d{4}\/[a-z0-9.]{1,20}$/))
  const facts = fc.record({
    git: maybe(commit),
    space: maybe(commit),
    configured: maybe(commit),
    url: maybe(fc.webUrl()),
  })
  const property = fc.property(facts, doi, doi, doi, fc.nat(), (some, concept, formal, software, age) => {
    const shown = version({
      build: { gitSha: fact(some.git), buildTime: fact(AT) },
      identity: {
        repositoryUrl: fact(some.url),
        spaceSha: fact(some.configured),
        doi: { concept: fact(concept), formal: fact(formal), software: fact(software) },
        readback: some.git === null ? readback : { ...readback, commit: some.git },
      },
      space: some.space === null ? (spaces.unread as SpaceReading) : { ...spaceAt(some.space), age_seconds: age },
    })
    assert.deepEqual(shown.honesty, HONEST)
    assert.ok(schema.Check(JSON.parse(JSON.stringify(shown))), JSON.stringify([...schema.Errors(shown)][0]))
  })
  fc.assert(property, { seed: 1, numRuns: 100 })
})

const space = version({ space: spaces.read as SpaceReading }).hosted_space_sha_readback
const lies: [what: string, lie: Partial<Assembled>, flag: keyof typeof HONEST][] = [
  ['a space commit nobody read', { hosted_space_sha: A }, 'configured_is_operational'],
  [
    'a reading without its time',
    { hosted_space_sha: A, hosted_space_sha_readback: space },
    'configured_is_operational',
  ],
  ['a verified release from a setting', { release_state: 'VERIFIED' }, 'configured_is_operational'],
  [
    'a verified release of a commit that is only configured',
    {
      release_state: 'VERIFIED',
      sources: { ...version().sources, release_state: 'release-readback.json', observed_commit: 'none' },
    },
    'configured_is_operational',
  ],
  ['a tag from nowhere', { release_tag: 'v1.1.0' }, 'configured_is_operational'],
  [
    'assets of no release',
    { verify: { ...version().verify, release_assets_status: 'PENDING_RELEASE', cosign: 'https://x', sbom: null } },
    'configured_is_operational',
  ],
  ['checks nobody ran', { p6_status: 'SIGNED_OFF' }, 'configured_is_operational'],
  ['lambda as a theorem', { lambda: 'Theorem 1 (ceiling 0.97)' }, 'conjecture_promoted'],
  ['lambda as less of a conjecture', { lambda: 'Conjecture 1 (a theorem; ceiling 0.97)' }, 'conjecture_promoted'],
  ['a ninth locked formula', { locked_8: 9 as 8 }, 'conjecture_promoted'],
  [
    'a DOI without a source',
    {
      doi: { ...version().doi, concept: { ...version().doi.concept, value: '10.1/x', url: 'https://doi.org/10.1/x' } },
    },
    'doi_invented',
  ],
  [
    'the address of no DOI',
    { doi: { ...version().doi, concept: { ...version().doi.concept, value: null, url: 'https://x' } } },
    'doi_invented',
  ],
]
for (const [what, lie, flag] of lies)
  test(`a record that showed ${what} would say so itself`, () => {
    const answer = assessHonesty({ ...version(), ...lie })
    assert.deepEqual(answer, { ...HONEST, [flag]: true })
  })
