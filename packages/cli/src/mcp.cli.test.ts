// The public client of the protocol starts the command and talks to it over its two streams, in both revisions.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { startService } from '@orch/server/testing/service.ts'
import { ORCH, runOrch } from './testing/run-orch.ts'

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const home = freshFolder('cli-mcp')
const service = await startService()
after(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})
const env = { HOME: home, XDG_CONFIG_HOME: `${home}/config`, ORCH_BASE_URL: service.url }

for (const mode of ['legacy', 'auto'] as const)
  test(`the tools are listed and called over stdin and stdout (${mode})`, async (t) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [ORCH, 'mcp'], env, cwd: home }))
    t.after(() => client.close())
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === 'hash'))
    const { structuredContent } = await client.callTool({ name: 'hash', arguments: { text: 'abc' } })
    assert.equal((structuredContent as { digest: string }).digest, ABC)
    const sum = await client.callTool({ name: 'calc', arguments: { expression: '6*7' } })
    assert.equal((sum.structuredContent as { value: string }).value, '42')
    assert.equal((await client.callTool({ name: 'größe', arguments: {} })).isError, true)
    console.info(`# revision ${client.getNegotiatedProtocolVersion()}: ${tools.length} tools listed over stdio`)
  })

test('what is no message is answered with an error, and a service that is gone too', async () => {
  const input = 'nonsense\n\n[]\n{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n'
  const gone = { ORCH_BASE_URL: 'http://127.0.0.1:9' }
  const { code, stdout } = await runOrch(['mcp'], { home, env: gone, input })
  const replies = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(code, 0)
  assert.deepEqual(
    replies.map(({ id, error }) => [id, error.code]).sort(),
    [
      [7, -32000],
      [null, -32700],
      [null, -32700],
    ].sort(),
  )
})
