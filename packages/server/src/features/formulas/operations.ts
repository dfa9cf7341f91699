import { RegistryError } from '@orch/core'
import { type FormulaRun, tiersOf } from '../../domain/formulas.ts'
import { ServiceError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { FormulaTiers } from './schemas.ts'

type Deps = Pick<Ports, 'artifacts'> & {
  /** The property checks of the formulas, run off this thread, at most 10 s ago; concurrent callers share a run. */
  formulaRun: () => Promise<FormulaRun>
}

/** What stands on which ground. The registry is read for the request that asks; the checks have their own date. */
export const formulas = ({ artifacts, formulaRun }: Deps) => [
  operation({
    id: 'formulas.tiers',
    group: 'Attestation and assurance',
    method: 'GET',
    path: '/formula-tiers',
    scope: null,
    summary:
      'The eight locked formulas, what is only checked, what is conjectured, and the checks with the time they ran at',
    reply: FormulaTiers,
    labels: ['STRUCTURAL-ONLY', 'MEASURED'],
    errors: ['formula_registry_invalid'],
    async run() {
      const file = await artifacts.text('formula-registry')
      try {
        const run = await formulaRun()
        // The registry was just held to exactly the constants that the reply names.
        return { ...tiersOf(file, run), checked_at: run.checked_at } as FormulaTiers
      } catch (error) {
        // A registry that says something else is not served with a warning: it is not served.
        if (error instanceof RegistryError)
          throw new ServiceError(
            'formula_registry_invalid',
            'the formula registry of this build is not the locked one; ask the operator',
          )
        throw error
      }
    },
  }),
]
