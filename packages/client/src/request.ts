// One operation as an HTTP request, and its answer read back. The table of operations decides method, path and query.
import { OPERATIONS } from './generated/operations.ts'
import { replyForm } from './media.ts'

export type OperationRow = {
  readonly method: string
  readonly path: string
  readonly query: readonly string[]
  readonly hasBody: boolean
  /** What the service calls the values of the reply. */
  readonly labels: readonly string[]
  readonly scopes: readonly string[]
  readonly summary: string
}
export type AnyInput = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

export const isOperationId = (id: string): id is keyof typeof OPERATIONS => Object.hasOwn(OPERATIONS, id)

export const rowOf = (id: keyof typeof OPERATIONS): OperationRow => OPERATIONS[id]

/** Throws for misuse: a missing path parameter would silently address something else. */
export function addressOf(baseUrl: string, row: OperationRow, { params = {}, query = {} }: AnyInput): string {
  const path = row.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? '')
    if (value === '') throw new TypeError(`${row.path} needs the parameter ${name}`)
    // The rest of a path has slashes that are slashes.
    return name === 'rest' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value))
  return `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`
}

/** By what was sent, not by what was hoped for. */
export async function readReply(response: Response): Promise<unknown> {
  const form = replyForm(response.headers.get('content-type') ?? '')
  if (form === 'json') return response.json()
  return form === 'text' ? response.text() : new Uint8Array(await response.arrayBuffer())
}
