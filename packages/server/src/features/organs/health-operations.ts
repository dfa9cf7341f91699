import { ServiceError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { once } from '../../platform/once.ts'
import { checksOf, type HealthPorts, isRole, ROLES } from './health/checks.ts'
import { createHealth, toIndex } from './health/health.ts'
import { OrganHealth, RoleHealth, RolePath } from './health/schemas.ts'
import { localRunner, type OrganPorts } from './run.ts'

type Deps = HealthPorts & OrganPorts

const shared = { group: 'Organs', method: 'GET', alias: true, scope: null } as const
const labels = ['MEASURED', 'SAMPLE', 'UNAVAILABLE'] as const

/** Whether the parts that the organs lean on work, found out by using them. */
export const organHealth = (deps: Deps) => {
  const health = once(() =>
    createHealth(
      checksOf({ ...deps, ...deps.organs, runLocally: localRunner(deps.organs) }),
      deps.clock,
      deps.organs.health,
    ),
  )
  return [
    operation({
      ...shared,
      id: 'organHealth.index',
      path: '/organ-health',
      summary: 'Twelve roles, each checked by using it',
      description:
        'Checks run in the request, each for at most 500 ms, the first time in a process for 5 s because it loads what it uses; a run that began up to 5 s earlier is shared and says so. Nothing is appended, signed or fetched.',
      reply: OrganHealth,
      labels,
      example: {},
      run: async () => toIndex(await health().readAll(), isoNow(deps.clock)),
    }),
    operation({
      ...shared,
      id: 'organHealth.role',
      path: '/organ-health/:role',
      summary: 'One role with all its checks',
      params: RolePath,
      reply: RoleHealth,
      labels,
      errors: ['unknown_role'],
      example: { params: { role: 'policy' } },
      run({ params }) {
        const role = params.role.trim().toLowerCase()
        if (isRole(role)) return health().read(role)
        throw new ServiceError('unknown_role', `path.role names no role; the roles are ${ROLES.join(', ')}`)
      },
    }),
  ]
}
