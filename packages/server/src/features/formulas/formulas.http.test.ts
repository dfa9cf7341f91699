import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { canonicalize, sha256Hex } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { runFormulas } from '../../domain/formulas.ts'
import { formulas } from './operations.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const TEXT = readFileSync(new URL('../../../../core/src/formulas/formula-registry.json', import.meta.url), 'utf8')

test('the tiers are served with the eight checks run for this request', async () => {
  const { status, json } = await send(`${service.url}/api/orch/v1/formula-tiers`)
  assert.equal(status, 200)
  assert.equal(json.label, 'STRUCTURAL-ONLY')
  assert.deepEqual(json.locked_ids, ['F1', 'F4', 'F7', 'F11', 'F12', 'F18', 'F19', 'F22'])
  assert.ok(
    json.checks.every(
      (check: { passed: boolean; checked_cases: number }) => check.passed && check.checked_cases === 200,
    ),
  )
  assert.equal(json.registry_digest.value, sha256Hex(canonicalize(JSON.parse(TEXT).payload)))
  assert.equal(json.authority.schema_version, 'orch.formula-authority.v2')
  assert.equal(json.authority.registry_digest.value, sha256Hex(canonicalize(json.authority.payload)))
})

const runWith = (text: string | null) => {
  const [op] = formulas({
    artifacts: {
      text: async () =>
        text === null
          ? { path: 'x', present: false, reason: 'gone' }
          : { path: 'x', present: true, bytes: 1, sha256: '', text },
      digest: async () => ({ path: 'x', present: false, reason: 'gone' }),
    },
    formulaRun: () => runFormulas(() => '2026-01-01T00:00:00.000Z'),
  })
  return Promise.resolve(op!.run({} as never))
}

test('a registry that is absent or was touched is refused, never served', async () => {
  for (const text of [
    null,
    '',
    TEXT.replace('F22', 'F23'),
    TEXT.replace('0', '1'),
    `${TEXT} `.replace('proven', 'proved'),
  ])
    await assert.rejects(runWith(text), { code: 'formula_registry_invalid' })
})
