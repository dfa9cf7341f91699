import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { build } from 'esbuild'

test('5b the client bundles for the browser without anything of Node', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'index.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  assert.equal(outputFiles.length, 1)
  const inputs = Object.keys(metafile.inputs)
  assert.deepEqual(
    inputs.filter(
      (path) => !/packages\/(?:core|client)\/src\/|node_modules\/(?:@noble|eventsource-parser)\//.test(path),
    ),
    [],
  )
})
