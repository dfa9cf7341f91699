/** The formula registry as a request reads it, and the property checks as they were last run. */
import {
  checkFormulas,
  checkSemantics,
  constantsLock,
  executedLock,
  type FormulaRegistry,
  type FormulaTiers,
  formulaTiers,
  type KernelVerification,
  lambdaCounterexample,
  RegistryError,
  readRegistry,
  registryLock,
  type Testimony,
  tiersLock,
  verifyKernel,
} from '@orch/core'

/** What was read of the file: its text, or that it is not there. */
export type RegistryFile = { present: true; text: string } | { present: false; reason: string }

export type FormulaRun = {
  checks: ReturnType<typeof checkFormulas>
  semantics: ReturnType<typeof checkSemantics>
  counterexample: ReturnType<typeof lambdaCounterexample>
  /** When these were run: a run is shared and counts for a few seconds. */
  checked_at: string
}

/** Takes some 50 ms of a core, so it is never run where requests are served. */
export const runFormulas = (now: () => string): FormulaRun => ({
  checks: checkFormulas(),
  semantics: checkSemantics(),
  counterexample: lambdaCounterexample(),
  checked_at: now(),
})

/** Throws `RegistryError` for a registry that is absent or not exactly the locked one. */
export function tiersOf(file: RegistryFile, run: FormulaRun): FormulaTiers {
  return formulaTiers({ registry: registryOf(file), ...run })
}

function registryOf(file: RegistryFile): FormulaRegistry {
  if (!file.present) throw new RegistryError(file.reason)
  return readRegistry(file.text)
}

/** The four witnesses heard for this request. One that cannot be read is an error of that witness, not of the request. */
export function verifiedKernel(file: RegistryFile, run: FormulaRun): KernelVerification {
  const tiers = heard(() => tiersOf(file, run))
  const registry = heard(() => registryOf(file))
  const testimonies: Testimony[] = [
    { source: 'constants-module', lock: constantsLock() },
    'error' in registry
      ? { source: 'formula-registry.json', error: registry.error }
      : { source: 'formula-registry.json', lock: registryLock(registry.value) },
    'error' in tiers
      ? { source: 'formula-tiers', error: tiers.error }
      : { source: 'formula-tiers', lock: tiersLock(tiers.value) },
    { source: 'executed-checks', lock: executedLock(run.checks, run.counterexample) },
  ]
  return verifyKernel(testimonies, 'value' in tiers ? tiers.value.authority : null)
}

function heard<T>(read: () => T): { value: T } | { error: string } {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof RegistryError) return { error: error.message }
    throw error
  }
}
