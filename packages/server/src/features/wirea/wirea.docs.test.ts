// The shell blocks of the section on wirea in docs/research.md, each run against a fresh service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startApp } from '#testing/layer.ts'

const text = readFileSync(new URL('../../../../../docs/research.md', import.meta.url), 'utf8')
const section = /^## wirea[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text)![1]!
const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])

test('each of the nine operations has an example', () => {
  const routes = service.app.ports.catalog.filter(({ id }) => id.startsWith('wirea.'))
  assert.equal(routes.length, 9)
  for (const { path } of routes)
    assert.ok(
      blocks.some((block) => block.includes(path)),
      path,
    )
})

test('the example of the search asks for a hit', () => {
  const [search] = blocks.filter((block) => block.includes('/wirea/search?'))
  assert.match(search!, /grep -o '"matches":\[1-9\]/)
})

for (const [at, block] of blocks.entries())
  test(`block ${at + 1} works as it stands`, async () => {
    const script = block.replaceAll('http://127.0.0.1:8080', service.url)
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { timeout: 60_000, maxBuffer: 2 ** 24 })
    assert.ok(stdout.length > 0, block)
  })
