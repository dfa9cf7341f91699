import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lambdaOf } from '@orch/core'
import { checkLambdaUse } from '../formulas.ts'
import { lambdaStage } from './decide.ts'

test('lambda can hold a request for review and never lets one pass', () => {
  const { passed, checked_cases, counterexamples } = checkLambdaUse()
  assert.deepEqual([passed, checked_cases, counterexamples], [true, 200, []])
})

test('a stage that never holds, and one that denies by lambda alone, are shown a counterexample', () => {
  const idle = () => ({ ...lambdaStage(null), verdict: 'allow' as const })
  assert.equal(checkLambdaUse({ compute: lambdaOf, stage: idle }).passed, false)
  const denying = (lambda: Parameters<typeof lambdaStage>[0]) => ({ ...lambdaStage(lambda), verdict: 'deny' as const })
  assert.equal(checkLambdaUse({ compute: lambdaOf, stage: denying }).passed, false)
})
