import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])

test('a picture of the documents is served with its type, and a name that is none is not found', async () => {
  const picture = await fetch(`${service.url}/docs/pictures/receipt.png`)
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png'])
  assert.deepEqual([...new Uint8Array(await picture.arrayBuffer()).subarray(1, 4)], [...Buffer.from('PNG')])
  for (const name of ['none.png', '..%2f..%2fpackage.json', 'receipt.png%00'])
    assert.equal((await fetch(`${service.url}/docs/pictures/${name}`)).status, 404)
})
