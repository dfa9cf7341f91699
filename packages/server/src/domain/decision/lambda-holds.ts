/** Whether lambda does to decisions what is said of it everywhere: it can hold a request for review and can never let one
 *  pass. Run on the function that computes it and on the stage that uses it. */
import { drawInputs, LAMBDA_POWER, lambdaOf, type Property, type PropertyRun, runProperty } from '@orch/core'
import { lambdaStage } from './decide.ts'
import { meet, type Verdict } from './verdict.ts'

const OTHERS: readonly Verdict[] = ['allow', 'review', 'deny']

type LambdaUse = { compute: typeof lambdaOf; stage: typeof lambdaStage }

/** Without lambda the decision is that of the other stages; with it, never a better one. */
const property =
  ({ compute, stage }: LambdaUse): Property =>
  (random) => {
    const lambda = compute(drawInputs(random))?.lambda ?? null
    const { verdict } = stage(lambda)
    for (const other of OTHERS) {
      const decided = meet([other, verdict])
      if (meet([decided, other]) !== decided) return `with lambda ${lambda?.value}, ${other} became ${decided}`
    }
    const below = lambda === null || lambda.value < lambda.floor
    if (below !== (verdict === 'review')) return `lambda ${lambda?.value} says ${verdict}`
    return stage(null).verdict === 'review' ? null : 'without a lambda the stage lets the request pass'
  }

export const checkLambdaUse = (use: LambdaUse = { compute: lambdaOf, stage: lambdaStage }): PropertyRun =>
  runProperty(LAMBDA_POWER, property(use), 1, 200)
