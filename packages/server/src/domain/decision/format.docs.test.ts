import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type LambdaInputs, lambdaOf } from '@orch/core'

const page = readFileSync(new URL('../../../../../docs/formats/decision.md', import.meta.url), 'utf8')
const block = (name: string): string => {
  const found = new RegExp(`\`\`\`[a-z]+ ${name}\\n([^\`]*)\`\`\``).exec(page)?.[1]
  assert.ok(found !== undefined, `docs/formats/decision.md has no block ${name}`)
  return found.trim()
}

test('the worked example of lambda is what the formula gives for its inputs', () => {
  const reading = lambdaOf(JSON.parse(block('lambda-inputs')) as LambdaInputs)
  assert.ok(reading !== null)
  assert.equal(reading.lambda.axes.map(({ name, value }) => `${name} ${value}`).join('\n'), block('axes'))
  assert.equal(String(reading.lambda.value), block('lambda'))
})
