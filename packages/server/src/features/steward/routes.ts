/** The routes that the interface specification names, held to those that are served. */
import Type, { type Static } from 'typebox'
import { words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'
import { type Finding, judged } from './check.ts'

export const ROUTES_SCHEMA = 'orch.specified-routes/v1'

export const SpecifiedRoutes = closed({
  interface_version: Type.String(),
  note: Type.String(),
  routes: Type.Array(
    closed({
      section: Type.String(),
      method: words(['GET', 'HEAD', 'POST']),
      path: Type.String({ pattern: '^/' }),
      alias: Type.Boolean(),
    }),
    { minItems: 1 },
  ),
})

export interface Route {
  method: string
  /** With `{name}` for what a caller fills in. */
  path: string
}

const [API, ALIAS] = ['/api/orch/v1', '/v1']
/** What a parameter is called is nobody's promise. */
const keyOf = ({ method, path }: Route): string => `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`
const shown = ({ method, path }: Route): string => `${method} ${path}`

export function routeInventory({ routes }: Static<typeof SpecifiedRoutes>, served: readonly Route[]): Finding {
  const specified = routes.flatMap(({ method, path, alias }) => [
    { method, path },
    ...(alias ? [{ method, path: path.replace(API, ALIAS) }] : []),
  ])
  const isServed = new Set(served.map(keyOf))
  const isSpecified = new Set(specified.map(keyOf))
  const missing = specified.filter((route) => !isServed.has(keyOf(route))).map(shown)
  const extra = served.filter((route) => route.method !== 'HEAD' && !isSpecified.has(keyOf(route))).map(shown)
  const observed = {
    ...{ specified: specified.length, served: served.length, missing_count: missing.length, missing },
    ...{ extra_count: extra.length, extra },
  }
  return judged('every route that the specification names is served; further ones are allowed', observed, missing)
}
