import { httpLoad } from '../http-load.ts'
import { EXAMPLE } from '../references/shapes.ts'
import type { Scenario } from '../scenario.ts'

export const echo: Scenario = {
  name: 'echo',
  unit: 'requests/s',
  prepare: () => httpLoad({ target: './references/echo.ts', body: EXAMPLE }),
}
