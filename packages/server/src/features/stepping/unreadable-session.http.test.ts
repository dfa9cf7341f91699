import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'

test('a session id that is no UTF-8 is refused as this operation refuses, and counted as its request', async () => {
  const { url } = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
  const { status, json } = await send(`${url}/v1/gdw/sessions/%FF`)
  assert.deepEqual([status, json.detail[0].loc], [422, ['path', 'session_id']])
  const { text } = await send(`${url}/v1/gdw/metrics`)
  assert.match(text, /^gdw_requests_total\{operation="stepping\.session",status="422"\} 1$/m)
})
