// The shell blocks of docs/research.md, each run against a fresh service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startApp } from '#testing/layer.ts'

const text = readFileSync(new URL('../../../../docs/research.md', import.meta.url), 'utf8')
const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_M1: 'on' }, [])

test('every operation of the page has an example', () => {
  const surfaces =
    /^(?:wirea|brain|interpretability|sovereignCompute|steward|securityLoop|frontier|materials|pinn|quantumUtility|m1)\./
  const routes = service.app.ports.catalog.filter(({ id }) => surfaces.test(id))
  assert.ok(routes.length >= 31)
  // A path up to its first parameter.
  for (const { path } of routes)
    assert.ok(
      blocks.some((block) => block.includes(path.replace(/\{.*/, ''))),
      path,
    )
})

test('the example of the search asks for a hit', () => {
  const [search] = blocks.filter((block) => block.includes('/wirea/search?'))
  assert.match(search!, /grep -o '"matches":\[1-9\]/)
})

for (const [at, block] of blocks.entries())
  test(`block ${at + 1} of docs/research.md works as it stands`, async () => {
    const script = block.replaceAll('http://127.0.0.1:8080', service.url)
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { timeout: 60_000, maxBuffer: 2 ** 24 })
    assert.ok(stdout.length > 0, block)
  })

test('the figures that the page states for the defaults are those of this build', async () => {
  const read = async (query: string) =>
    (await (await fetch(`${service.url}/api/orch/v1/interpretability/features${query}`)).json()) as Record<
      string,
      number
    >
  const [fvu, mcc] = /FVU ([\d.]+) and MCC ([\d.]+), untrained/.exec(text)!.slice(1).map(Number)
  const found = await read('')
  assert.ok(Math.abs(found.fraction_variance_unexplained! - fvu!) < 0.001)
  assert.ok(Math.abs(found.mcc! - mcc!) < 0.01)
})
