import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { createClient, type Input, type OperationId } from './index.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CALLED = [
  'runtime.livez',
  'runtime.buildInfo',
  'identity.version',
  'identity.honest',
  'khipu.sign',
  'khipu.ledger',
  'khipu.organs',
  'keys.list',
  'governance.govern',
  'gates.list',
  'reviews.list',
  'claims.atomize',
  'claims.evaluate',
  'claims.info',
  'formulas.tiers',
  'stepping.step',
  'assurance.matrix',
  'wirea.routerReward',
  'wirea.anomalyPercentiles',
  'organs.catalog',
] as const satisfies readonly OperationId[]

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.close())

type Described = {
  operationId: string
  parameters?: { name: string; in: string; example?: unknown }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

/** What the description gives as the example of an operation. */
function exampleOf(id: string): object {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, Described>>
  }
  const { parameters = [], requestBody } = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id)!
  const inPlace = (place: string) =>
    Object.fromEntries(
      parameters.filter((one) => one.in === place && 'example' in one).map((one) => [one.name, one.example]),
    )
  const body = requestBody?.content['application/json']?.example
  return { params: inPlace('path'), query: inPlace('query'), ...(body === undefined ? {} : { body }) }
}

const shapeOf = (reply: unknown): string[] => Object.keys(reply as object).sort()

test('9.6: the TypeScript client and a Python caller made from openapi.json call the same twenty operations', async (t) => {
  assert.equal(new Set(CALLED).size, 20)
  const client = createClient({ baseUrl: service.url })
  const replies = new Map<string, unknown>()
  for (const id of CALLED) replies.set(id, await client.call(id, exampleOf(id) as Input<typeof id>))
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('SKIPPED: python3 is not installed')
  const python = spawn('python3', [join(ROOT, 'examples/call_operation.py'), service.url, CALLED.join(',')])
  const [stdout, stderr] = await Promise.all([text(python.stdout), text(python.stderr)])
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { operation: string; reply: unknown })
  assert.deepEqual(
    lines.map(({ operation }) => operation),
    [...CALLED],
    stderr,
  )
  for (const { operation, reply } of lines) assert.deepEqual(shapeOf(reply), shapeOf(replies.get(operation)), operation)
})
