// Writes src/generated/operations.ts: every operation of the interface description as TypeScript types and as a table.
// Run by `node packages/client/generate.ts [OPENAPI_FILE]`.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { typeName, typeOf } from './schema-types.ts'
import { replyForm } from './src/media.ts'

type Json = Record<string, unknown>
type Parameter = { name: string; in: string; required?: boolean; schema: unknown }
type Described = {
  operationId: string
  summary: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> }
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>
  'x-orch-alias-of'?: string
  'x-orch-scopes'?: string[]
  'x-orch-labels'?: string[]
}
export type OpenApiDocument = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Json }
}

const HERE = dirname(fileURLToPath(import.meta.url))
export const GENERATED_FILE = join(HERE, 'src/generated/operations.ts')

const HEAD = `// Generated from openapi.json by packages/client/generate.ts. Do not edit.
/* biome-ignore-all lint: generated */
type None = Record<never, never>
`

export function generate(document: OpenApiDocument): string {
  const operations = operationsOf(document)
  const schemas = Object.entries(document.components.schemas)
  return [
    HEAD,
    ...schemas.map(([name, schema]) => `export type ${typeName(name)} = ${typeOf(schema)}\n`),
    `export interface Operations {\n${operations.map(interfaceEntry).join('\n')}\n}\n`,
    `export const OPERATIONS = {\n${operations.map(tableEntry).join('\n')}\n} as const\n`,
  ].join('\n')
}

type Found = { method: string; path: string; described: Described }

/** Aliases are the same operation under another path; a client needs one. */
function operationsOf({ paths }: OpenApiDocument): Found[] {
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
  )
  return found
    .filter(({ described }) => described['x-orch-alias-of'] === undefined)
    .sort((a, b) => (a.described.operationId < b.described.operationId ? -1 : 1))
}

function interfaceEntry({ described }: Found): string {
  const { operationId, summary, requestBody, responses } = described
  const body = requestBody?.content['application/json']?.schema
  const bodyType = body === undefined ? 'undefined' : `${typeOf(body)}${requestBody?.required ? '' : ' | undefined'}`
  return [
    `  /** ${summary.replaceAll('*/', '* /')} */`,
    `  ${JSON.stringify(operationId)}: {`,
    `    params: ${parametersType(described, 'path')}`,
    `    query: ${parametersType(described, 'query')}`,
    `    body: ${bodyType}`,
    `    reply: ${replyType(responses)}`,
    '  }',
  ].join('\n')
}

function parametersType({ parameters = [] }: Described, place: string): string {
  const fields = parameters.filter((parameter) => parameter.in === place)
  if (fields.length === 0) return 'None'
  const one = ({ name, required, schema }: Parameter) =>
    `${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`
  return `{ ${fields.map(one).join('; ')} }`
}

/** JSON by its schema, text as text, everything else as bytes. */
function replyType(responses: Described['responses']): string {
  const [media, content] = Object.entries(responses['200']?.content ?? {})[0] ?? []
  if (media === undefined) return 'undefined'
  const form = replyForm(media)
  if (form === 'json') return typeOf(content?.schema)
  return form === 'text' ? 'string' : 'Uint8Array'
}

function tableEntry({ method, path, described }: Found): string {
  const names = (place: string) =>
    JSON.stringify((described.parameters ?? []).filter((one) => one.in === place).map(({ name }) => name))
  const fields = [
    `method: ${JSON.stringify(method)}`,
    `path: ${JSON.stringify(path)}`,
    `query: ${names('query')}`,
    `hasBody: ${described.requestBody !== undefined}`,
    `labels: ${JSON.stringify(described['x-orch-labels'] ?? [])}`,
    `scopes: ${JSON.stringify(described['x-orch-scopes'] ?? [])}`,
    `summary: ${JSON.stringify(described.summary)}`,
  ]
  return `  ${JSON.stringify(described.operationId)}: { ${fields.join(', ')} },`
}

if (import.meta.main) {
  const source = process.argv[2] ?? join(HERE, '../../openapi.json')
  writeFileSync(GENERATED_FILE, generate(JSON.parse(readFileSync(source, 'utf8'))))
}
