import { httpLoad } from '../http-load.ts'
import { EXAMPLE } from '../references/shapes.ts'
import type { Scenario } from '../scenario.ts'

export const signLimit: Scenario = {
  name: 'sign-limit',
  unit: 'requests/s',
  ratioTo: 'echo',
  prepare: () => httpLoad({ target: './references/sign-limit.ts', body: EXAMPLE }),
}
