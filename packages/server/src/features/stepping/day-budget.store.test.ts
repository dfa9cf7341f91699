import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { post, send } from '#testing/raw-http.ts'

let running: PostgresDatabases | null = null
after(() => running?.stop())

for (const store of ['sqlite', 'postgres'] as const)
  test(`${store}: new session names buy an owner no risk beyond the budget of the day, sixty at once included`, async (t) => {
    const unavailable = store === 'postgres' ? postgresUnavailable() : undefined
    if (unavailable) return t.skip(unavailable)
    if (store === 'postgres') running ??= await sharedPostgres()
    const env: Record<string, string> = running ? { ORCH_POSTGRES_URL: await running.createDatabase('day') } : {}
    // Five reads at 11,980 fit, a sixth does not.
    const limits = { ORCH_STORE: store, ORCH_DAY_RISK_BUDGET: String(5 * 11_980 + 11_979) }
    const { url } = await startApp(t as never, { ...limits, ...env }, [])
    const step = (session_id: string, more = {}) =>
      post(`${url}/api/orch/v1/gdw/step`, JSON.stringify({ session_id, request: 'read the audit log', ...more }))
    const rehearsed = await step('dry', { dry_run: true })
    assert.deepEqual([rehearsed.json.decision, rehearsed.json.risk.day.spent_before], ['allow', 0])
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => step(`session ${n}`)))
    assert.deepEqual([...new Set(answers.map(({ status, text }) => (status === 200 ? 200 : text)))], [200])
    const allowed = answers.filter(({ json }) => json.decision === 'allow')
    assert.equal(allowed.length, 5)
    for (const { json } of answers.filter(({ json }) => json.decision !== 'allow'))
      assert.deepEqual([json.decision, json.reason_codes], ['review', ['DAY_BUDGET_EXCEEDED']])
    const { json: last } = await step('one more')
    assert.deepEqual([last.risk.day.spent_before, last.risk.day.spent_after], [0.0599, 0.0599])
    assert.equal(last.decision, 'review')
    const { json: walk } = await send(`${url}/api/orch/v1/gdw/integrity/global`)
    assert.equal(walk.ok, true)
  })
