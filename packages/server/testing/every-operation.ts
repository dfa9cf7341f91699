// One call of every operation that the service describes, with the examples of its description.
import { type Answer, send } from './raw-http.ts'

interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  example?: unknown
  schema?: { enum?: unknown[]; const?: unknown }
}

interface Described {
  operationId: string
  'x-orch-alias-of'?: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { example?: unknown } } }
  responses: Record<string, { content?: Record<string, unknown> }>
}

interface Called {
  id: string
  answer: Answer
}

const STREAM = 'text/event-stream'

/** Each operation once, its aliases aside, ready to be called; streams without an end are left out. */
export async function describedOperations(
  url: string,
): Promise<{ id: string; call(headers: Record<string, string>): Promise<Answer> }[]> {
  const { paths } = (await send(`${url}/openapi.json`)).json as { paths: Record<string, Record<string, Described>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, op]) => !(STREAM in (op.responses[200]?.content ?? {})) && op['x-orch-alias-of'] === undefined)
      .map(([method, op]) => ({ id: op.operationId, call: (headers) => callOne(url, path, method, op, headers) })),
  )
}

/** Streams without an end are left out: they are told in the list of what was not called. */
export async function callEverything(
  url: string,
  headers: Record<string, string>,
): Promise<{ called: Called[]; left: string[] }> {
  const { paths } = (await send(`${url}/openapi.json`)).json as { paths: Record<string, Record<string, Described>> }
  const called: Called[] = []
  const left: string[] = []
  for (const [path, methods] of Object.entries(paths))
    for (const [method, op] of Object.entries(methods))
      if (STREAM in (op.responses[200]?.content ?? {})) left.push(op.operationId)
      else called.push({ id: op.operationId, answer: await callOne(url, path, method, op, headers) })
  return { called, left }
}

/** Every path that a description names, aliases and streams included, with the examples as its parameters. */
export const operationPaths = (description: {
  paths: Record<string, Record<string, Described>>
}): { method: string; path: string }[] =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase(),
      path: placed(path, parameters),
    })),
  )

const given = ({ example, schema }: Parameter): string => String(example ?? schema?.const ?? schema?.enum?.[0] ?? 'x')
const placed = (path: string, parameters: readonly Parameter[]): string =>
  parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, encodeURIComponent(given(parameter))), path)

function callOne(
  url: string,
  path: string,
  method: string,
  { parameters = [], requestBody }: Described,
  headers: Record<string, string>,
): Promise<Answer> {
  const asked = parameters.filter(
    (parameter) => parameter.in === 'query' && (parameter.required || parameter.example !== undefined),
  )
  const query = new URLSearchParams(asked.map((parameter) => [parameter.name, given(parameter)]))
  const body = requestBody?.content['application/json'].example
  return send(`${url}${placed(path, parameters)}${query.size > 0 ? `?${query}` : ''}`, {
    method: method.toUpperCase(),
    headers,
    ...(method === 'get' ? {} : { body: JSON.stringify(body ?? {}) }),
  })
}
