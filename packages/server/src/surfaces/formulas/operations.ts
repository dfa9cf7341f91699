import { RegistryError } from '@orch/core'
import { runFormulas, tiersOf } from '../../domain/formulas.ts'
import { ServiceError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { FormulaTiers } from './schemas.ts'

/** What stands on which ground. The registry is read and every check is run for the request that asks. */
export const formulas = ({ artifacts }: Pick<Ports, 'artifacts'>) => [
  operation({
    id: 'formulas.tiers',
    group: 'Attestation and assurance',
    method: 'GET',
    path: '/formula-tiers',
    scope: null,
    summary: 'The eight locked formulas, what is only checked, what is conjectured, and the checks run just now',
    reply: FormulaTiers,
    labels: ['STRUCTURAL-ONLY', 'MEASURED'],
    errors: ['formula_registry_invalid'],
    async run() {
      const file = await artifacts.text('formula-registry')
      try {
        return tiersOf(file, runFormulas())
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
