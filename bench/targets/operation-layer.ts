/** The whole operation layer with default settings, around an operation that does nothing but echo its checked body. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Type from 'typebox'
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { operation } from '../../packages/server/src/operation.ts'

const Step = Type.Object(
  {
    session_id: Type.String({ minLength: 1, maxLength: 128 }),
    text: Type.String({ maxLength: 4096 }),
    budget: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    tools: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 16 }),
    dry_run: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const echo = operation({
  id: 'bench.echo',
  group: 'Operations',
  method: 'POST',
  path: '/echo',
  root: true,
  scope: null,
  summary: 'The checked body, as it came',
  body: Step,
  reply: Step,
  run: ({ body }) => body,
})

const data = mkdtempSync(join(tmpdir(), 'orch-bench-'))
const app = await buildApp(readConfig({ ORCH_PORT: '0', ORCH_DATA: data }), { extra: [echo] })
const address = await app.http.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${address}/echo\n`)
process.on('SIGTERM', async () => {
  await app.close()
  rmSync(data, { recursive: true, force: true })
  process.exit(0)
})
