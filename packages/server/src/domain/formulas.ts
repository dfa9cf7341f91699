/** The formula registry as a request reads it, and the property checks as they were last run. */
import {
  authorityDocument,
  checkFormula,
  checkSemantics,
  constantsLock,
  drawInputs,
  executedIds,
  type FormulaCheck,
  type FormulaRegistry,
  type FormulaTiers,
  formulaTiers,
  type KernelVerification,
  LAMBDA_POWER,
  LOCKED_FORMULAS,
  lambdaCounterexample,
  lambdaOf,
  type Property,
  type PropertyRun,
  RegistryError,
  readRegistry,
  registryLock,
  runProperty,
  type Testimony,
  verifyKernel,
} from '@orch/core'
import { lambdaStage } from './decision/decide.ts'
import { meet, type Verdict } from './decision/verdict.ts'

/** What was read of the file: its text, or that it is not there. */
export type RegistryFile = { present: true; text: string } | { present: false; reason: string }

export type FormulaRun = {
  checks: FormulaCheck[]
  semantics: ReturnType<typeof checkSemantics>
  counterexample: ReturnType<typeof lambdaCounterexample>
  /** What lambda does to decisions, run on the stage that uses it. */
  lambdaUse: ReturnType<typeof checkLambdaUse>
  /** When these were run: a run is shared and counts for a few seconds. */
  checked_at: string
}

/** Takes some 50 ms of a core, and several times that when it is first run, so it is never run where requests are served,
 *  and takes a turn before each piece where short questions are answered. */
export async function runFormulas(now: () => string, turn: () => unknown = () => undefined): Promise<FormulaRun> {
  const checks: FormulaCheck[] = []
  for (const id of LOCKED_FORMULAS) {
    await turn()
    checks.push(checkFormula(id))
  }
  await turn()
  const semantics = checkSemantics()
  await turn()
  return { checks, semantics, counterexample: lambdaCounterexample(), lambdaUse: checkLambdaUse(), checked_at: now() }
}

/** Throws `RegistryError` for a registry that is absent or not exactly the locked one. */
export function tiersOf(file: RegistryFile, run: FormulaRun): FormulaTiers {
  return formulaTiers({ registry: registryOf(file), ...run })
}

function registryOf(file: RegistryFile): FormulaRegistry {
  if (!file.present) throw new RegistryError(file.reason)
  return readRegistry(file.text)
}

/** The witnesses heard for this request. One that cannot be read is an error of that witness, not of the request. */
export function verifiedKernel(file: RegistryFile, run: FormulaRun): KernelVerification {
  const registry = heard(() => registryOf(file))
  const testimonies: Testimony[] = [
    { source: 'constants-module', lock: constantsLock() },
    'error' in registry
      ? { source: 'formula-registry.json', error: registry.error }
      : { source: 'formula-registry.json', lock: registryLock(registry.value) },
    { source: 'executed-checks', ids: executedIds(run.checks) },
  ]
  return verifyKernel(testimonies, 'value' in registry ? authorityDocument(registry.value) : null)
}

function heard<T>(read: () => T): { value: T } | { error: string } {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof RegistryError) return { error: error.message }
    throw error
  }
}

const OTHERS: readonly Verdict[] = ['allow', 'review', 'deny']

type LambdaUse = { compute: typeof lambdaOf; stage: typeof lambdaStage }

/** Whether lambda does to decisions what is said of it everywhere: it can hold a request for review and can never let one
 *  pass. Without lambda the decision is that of the other stages; with it, never a better one. */
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
