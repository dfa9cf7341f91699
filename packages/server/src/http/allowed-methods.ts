import { type Operation, pathsOf } from '../operation.ts'

/** Which methods a path answers, for the 405 of the others. Asked only when no route matched. */
interface AllowedMethods {
  /** The template and its methods, or null when no operation has this path. */
  of(path: string): { route: string; allow: string } | null
}

export function allowedMethods(operations: readonly Operation[]): AllowedMethods {
  const byRoute = new Map<string, Set<string>>()
  for (const op of operations)
    for (const route of pathsOf(op)) {
      const methods = byRoute.get(route) ?? new Set<string>()
      byRoute.set(route, methods.add(op.method))
      if (op.method === 'GET') methods.add('HEAD')
    }
  const rows = [...byRoute].map(([route, methods]) => ({ route, allow: [...methods].sort().join(', ') }))
  const isPattern = ({ route }: { route: string }) => /[:*]/.test(route)
  const fixed = new Map(rows.filter((row) => !isPattern(row)).map((row) => [row.route, row]))
  const patterns = rows.filter(isPattern).map((row) => ({ row, segments: row.route.split('/') }))
  return {
    of(path) {
      const exact = fixed.get(path)
      if (exact) return exact
      const given = path.split('/')
      return patterns.find(({ segments }) => fits(segments, given))?.row ?? null
    },
  }
}

/** A `*` at the end takes all that is left. */
function fits(template: readonly string[], given: readonly string[]): boolean {
  const open = template.at(-1) === '*'
  if (open ? given.length < template.length : given.length !== template.length) return false
  return template.every((part, at) => part === '*' || (part.startsWith(':') ? given[at] !== '' : part === given[at]))
}
