import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { evaluateText, type TextEvaluation, validationFaults } from '#testing/policy/evaluate-text.ts'

const corpus = new URL('../../../../../../shared/corpora/cedar/', import.meta.url)
const text = (path: string) => readFileSync(new URL(path, corpus), 'utf8')

interface CorpusFile {
  policies: string
  entities: string
  schema: string
  shouldValidate: boolean
  requests: (Pick<TextEvaluation, 'principal' | 'action' | 'resource' | 'context'> & {
    description: string
    decision: 'allow' | 'deny'
    reason: string[]
    errors: string[]
    validateRequest?: boolean
  })[]
}

test('the integration corpus of the policy language gives the decisions, reasons and errors it expects', (t) => {
  if (!existsSync(corpus)) return t.skip('SKIPPED: ../shared absent')
  const files = globSync('tests/*/*.json', { cwd: corpus }).sort()
  let decisions = 0
  for (const path of files) {
    const file: CorpusFile = JSON.parse(text(path))
    const [policies, schema] = [text(file.policies), text(file.schema)]
    const entities = JSON.parse(text(file.entities))
    assert.equal(validationFaults(policies, schema).length === 0, file.shouldValidate, `${path} validates`)
    for (const { principal, action, resource, context, ...expected } of file.requests) {
      const found = evaluateText({ policies, schema, entities, principal, action, resource, context })
      const { decision, reason, errors } = expected
      assert.deepEqual(
        found,
        { decision, reason: reason.sort(), errors: errors.sort(), failure: null },
        `${path}: ${expected.description}`,
      )
      decisions++
    }
  }
  assert.deepEqual([files.length, decisions], [22, 74])
})

test('policies that do not parse, and text the engine cannot take over, decide nothing', () => {
  const name = { type: 'A', id: 'a' }
  const request = { entities: [], principal: name, action: name, resource: name, context: {} }
  for (const given of [
    { ...request, policies: 'permit (' },
    { ...request, policies: 'permit (principal, action, resource);', principal: { type: 'A', id: '\ud800' } },
  ]) {
    const found = evaluateText(given)
    assert.equal(found.decision, 'deny')
    assert.ok(found.failure)
  }
})
