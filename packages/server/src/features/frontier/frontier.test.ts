import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { readSealed } from '../../platform/sealed-file.ts'
import { openFrontier } from './open.ts'
import {
  FRONTIER_SCHEMA,
  FrontierRegistry,
  pageOf,
  registryFault,
  repositoryOf,
  toInfo,
  toProjects,
} from './registry.ts'

const ROOT = new URL('../../../../../', import.meta.url)
const TEXT = readFileSync(new URL('packages/server/data/frontier.json', ROOT), 'utf8')
const sealed = readSealed({ present: true, text: TEXT }, FRONTIER_SCHEMA, FrontierRegistry)
assert.ok(sealed.ok)
const { value: registry, sha256 } = sealed

const MEMBERS: readonly (readonly string[])[] = [
  ['Qwen3', 'DeepSeek-R1', 'Kimi K2.5', 'GLM-4.7', 'MiniMax M2.5'],
  ['llama.cpp', 'vLLM', 'SGLang', 'BitNet', 'TensorRT-LLM'],
  ['cognee', 'Letta', 'Mem0', 'Graphiti', 'Zep'],
  ['Qwen3-VL', 'GLM-V', 'InternVL', 'Janus', 'MiniCPM-o'],
  ['gpt-oss', 'GLM-4.5V', 'DeepSeek-R1', 'OpenMed', 'PhysicsNeMo'],
  ['garak', 'PyRIT', 'OWASP LLM Top 10', 'promptfoo', 'LLM Guard'],
  ['HF Datasets', 'KaggleHub', 'OpenML', 'Croissant', 'DataTrove'],
  ['vLLM', 'Ollama', 'llama.cpp', 'SGLang', 'KServe'],
  ['RISC Zero', 'Rekor', 'in-toto', 'SLSA', 'EZKL', 'OpenGradient'],
  ['Lean 4', 'mathlib4', 'TRL', 'PEFT', 'Unsloth'],
]

test('the registry has ten fields, 51 entries and 46 repositories, in the order of the specification', () => {
  const info = toInfo(registry, sha256)
  assert.deepEqual([info.field_count, info.project_count, info.unique_repository_count], [10, 51, 46])
  const members = registry.fields.map(({ id }) =>
    registry.projects.filter(({ field }) => field === id).map(({ project }) => project),
  )
  assert.deepEqual(members, MEMBERS)
  assert.equal(registryFault(registry), null)
})

test('every test that a row names exists, and a licence that nobody looked up is UNKNOWN', () => {
  for (const { id, implemented_by, license_expected, license_source } of registry.projects) {
    if (implemented_by.test !== null) assert.ok(existsSync(new URL(implemented_by.test, ROOT)), id)
    assert.equal(license_expected === 'UNKNOWN', license_source === null, id)
  }
})

test('pages of any size give every row once, in order, for every field', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom(undefined, ...registry.fields.map(({ id }) => id)),
      (limit, field) => {
        const ids: string[] = []
        for (let cursor: string | undefined; ; ) {
          const page = pageOf(registry, { limit, field, cursor })
          ids.push(...page.rows.map(({ id }) => id))
          if (page.nextCursor === null) break
          cursor = page.nextCursor
        }
        const expected = registry.projects.filter((one) => field === undefined || one.field === field)
        assert.deepEqual(
          ids,
          expected.map(({ id }) => id),
        )
      },
    ),
    { seed: 20261116 },
  )
})

test('a page at the end has no cursor, and a cursor beyond it is refused', () => {
  assert.equal(pageOf(registry, { limit: 50 }).nextCursor, 'p50')
  assert.equal(pageOf(registry, { limit: 51 }).nextCursor, null)
  assert.equal(pageOf(registry, { limit: 100 }).rows.length, 51)
  assert.equal(pageOf(registry, { cursor: 'p50' }).rows.length, 1)
  assert.throws(() => pageOf(registry, { cursor: 'p51' }), /names no place/)
  assert.throws(() => pageOf(registry, { field: 'nothing' }), /must be one of/)
})

test('an operation that is not served is ROADMAP, whatever the registry says', () => {
  const rows = toProjects(pageOf(registry, {}), { ids: new Set(['log.inclusion']), at: '' }, {}, sha256).projects
  const live = rows.filter(({ implemented_by: { label } }) => label === 'LIVE').map(({ project }) => project)
  assert.deepEqual(live, ['Rekor'])
  assert.ok(rows.every(({ implemented_by: { label, registered } }) => (label === 'LIVE') === registered))
  assert.ok(rows.every((row) => row.live_metadata_ref === repositoryOf(row)))
})

test('a registry that was edited, cut or contradicts itself is refused', async () => {
  const open = (text: string | null) => {
    const file = text === null ? { present: false as const, reason: 'gone' } : { present: true as const, text }
    return openFrontier(
      { enabled: false, token: null, origin: null },
      {
        artifacts: {
          text: async () => ({ path: '', bytes: 0, sha256: '', ...file }) as never,
          digest: async () => ({}) as never,
        },
        outbound: { get: async () => ({}) as never },
        served: () => new Set(),
      },
    ).registry()
  }
  assert.equal((await open(TEXT)).sha256, sha256)
  for (const text of [
    null,
    '',
    '{}',
    TEXT.slice(0, -9),
    TEXT.replace('Rekor', 'Rektor'),
    TEXT.replace('as_of', 'asof'),
  ])
    await assert.rejects(open(text), { code: 'data_file_invalid' })
  const [first] = registry.projects
  for (const projects of [
    [first!, first!],
    [{ ...first!, field: 'elsewhere' }],
    [{ ...first!, license_expected: 'MIT' }],
    [{ ...first!, implemented_by: { operation: 'log.inclusion', test: null } }],
  ])
    assert.notEqual(registryFault({ ...registry, projects }), null)
})
