import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { assertSound, consolePages, LOOKS } from '@orch/server/testing/console-page.ts'
import { startApp } from '@orch/server/testing/layer.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { post, send } from '@orch/server/testing/raw-http.ts'

const { noBrowser, open } = consolePages()
const service = await startApp({ after }, {}, [])
const P = `${service.url}/api/orch/v1`

const hold = async (text: string, more: object = {}) =>
  (await post(`${P}/wow/govern`, JSON.stringify({ text, agent: 'billing-agent', ...more }))).json
const read = async (id: string) => (await send(`${P}/reviews/${id}`)).json
const decide = (id: string, body: object) => post(`${P}/reviews/${id}/decide`, JSON.stringify(body))
const wire = (amount: number) => `Please wire ${amount} dollars to wallet 7 tomorrow`

test('an empty queue says what would wait here, and an unknown review is named', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const expected = [/console error: Failed to load resource/]
  const page = await open(t, service.url, 'reviews', { expected })
  await page.getByRole('heading', { name: 'Nothing waits for a person' }).waitFor()
  await assertSound(page)
  await page.goto(`${service.url}/console/reviews/rev_nobody`)
  await page.getByRole('heading', { name: 'No review rev_nobody' }).waitFor()
})

test('2d the whole review by keyboard alone: jump, choose, reason, approve, and from the receipt to the request', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  await hold('What is the time?', { session_id: 's1' })
  const first = await hold(wire(900), { session_id: 's1' })
  const second = await hold(wire(901))
  const page = await open(t, service.url, 'decisions')
  await page.locator('[data-digest]').first().waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('q')
  await page.locator(`[data-review="${first.review.review_id}"][aria-current]`).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator(`[data-review="${second.review.review_id}"][aria-current]`).waitFor()
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'Held: transfer of value' }).waitFor()
  await page.locator('.question mark').first().waitFor()
  assert.equal(await page.locator('.question').innerText(), wire(900))
  await page.locator('.steps > li').nth(1).waitFor()
  await page.keyboard.press('a')
  await page.locator('textarea:focus').waitFor()
  await page.keyboard.type('ok')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('alert').getByText('3 to 2,000 characters').waitFor()
  await page.keyboard.type(', agreed with the payee')
  await page.keyboard.press('Control+Enter')
  await page.locator('[data-state="approved"]').waitFor()
  const item = await read(first.review.review_id)
  assert.deepEqual([item.state, item.votes.length], ['approved', 1])
  await page.getByText('The text is kept until the approval is used or lapses').waitFor()
  await page.locator(`.waits [data-review="${first.review.review_id}"]`).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'receipt of the verdict' }).press('Enter')
  await page.waitForURL(`**/console/receipts/${item.final_receipt}`)
  const related = page.getByRole('region', { name: 'Related' })
  await related.locator(`a[href="/console/receipts/${item.reviewed.digest}"]`).press('Enter')
  await page.waitForURL(`**/console/receipts/${first.receipt.digest}`)
  await decide(second.review.review_id, { verdict: 'deny', reason: 'not needed' })
})

test('2d steps pressed while the queue loads are taken once it is there; a verdict key is said to have done nothing', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const pending = [await hold(wire(903)), await hold(wire(904))]
  const page = await open(t, service.url, 'decisions')
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await page.route(/\/reviews\?.*limit=100/, async (route) => {
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await page.keyboard.press('g')
  await page.keyboard.press('q')
  await asked.promise
  for (const key of ['j', 'j', 'x', 'a']) await page.keyboard.press(key)
  answer.resolve()
  await page.locator(`[data-review="${pending[1].review.review_id}"][aria-current]`).waitFor()
  await page.getByRole('status').getByText('pressed while the queue was loading did nothing').waitFor()
  assert.equal(await page.locator('textarea:focus').count(), 0)
  for (const { review } of pending) await decide(review.review_id, { verdict: 'deny', reason: 'not needed' })
})

test('2d a second browser loses the race: it is told who was first and that its verdict was not recorded', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { review } = await hold(wire(902))
  const [ann, bob] = [
    await open(t, service.url, `reviews/${review.review_id}`),
    await open(t, service.url, `reviews/${review.review_id}`, {
      expected: [/console error: Failed to load resource: the server responded with a status of 409/],
    }),
  ]
  // Bob's page hears nothing of Ann's verdict before he gives his own.
  let isLate = true
  bob.on('request', (request) => {
    if (request.method() === 'POST') isLate = false
  })
  const before = await read(review.review_id)
  await bob.route(`**/api/orch/v1/reviews/${review.review_id}`, (route) =>
    isLate ? route.fulfill({ json: before }) : route.continue(),
  )
  await bob.getByLabel('Your reason').fill('seems wrong')
  await ann.getByLabel('Your name').fill('ann')
  await ann.getByLabel('Your reason').fill('agreed by phone')
  await ann.getByRole('button', { name: /^Approve once/ }).click()
  await ann.locator('[data-state="approved"]').waitFor()
  await bob.getByRole('button', { name: /^Deny/ }).click()
  await bob.getByRole('alert').getByText('Decided before you by ann, who approved it').waitFor()
  await bob.getByText('Your verdict was not recorded').waitFor()
  assert.equal(await bob.getByLabel('Your reason').inputValue(), 'seems wrong')
  assert.equal((await read(review.review_id)).votes.length, 1)
})

test('2d a key is about the review selected when it is pressed, and what is typed next goes to its reason alone', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const ids: string[] = []
  for (const amount of [903, 904, 905]) ids.push((await hold(wire(amount))).review.review_id)
  const page = await open(t, service.url, 'reviews')
  await page.locator(`[data-review="${ids[2]}"]`).waitFor()
  const waiting: (() => void)[] = []
  let isSlow = true
  await page.route(`**/api/orch/v1/reviews/rev_*`, async (route) => {
    if (isSlow && route.request().method() === 'GET') await new Promise<void>((go) => waiting.push(go))
    await route.continue().catch(() => undefined)
  })
  const places = await page
    .locator('.waits [data-review]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-review')))
  for (const key of ['j', 'j', 'a']) await page.keyboard.press(key)
  await page.keyboard.type('ok okay k')
  await page.keyboard.press('Control+Enter')
  assert.equal(await page.locator('textarea:focus').inputValue(), 'ok okay k')
  assert.equal(new URL(page.url()).pathname, `/console/reviews/${places[1]}`)
  isSlow = false
  for (const go of waiting) go()
  await page.locator('.question').waitFor()
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await read(id)).state)), ['pending', 'pending', 'pending'])
  await page.locator('textarea:focus').press('Control+Enter')
  await page.locator('[data-state="approved"]').waitFor()
  for (const id of ids) assert.equal((await read(id)).state, id === places[1] ? 'approved' : 'pending')
  for (const id of ids) await decide(id, { verdict: 'deny', reason: 'not needed' })
})

test('2d a reason that somebody else made late stays with who decided until it is dismissed', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { review } = await hold(wire(906))
  const page = await open(t, service.url, 'reviews')
  const reason = page.getByLabel('Your reason')
  await reason.fill('seems wrong')
  await page.waitForURL(`**/console/reviews/${review.review_id}`)
  await decide(review.review_id, { verdict: 'approve', reason: 'agreed', reviewer: 'ann' })
  await page.getByRole('alert').getByText('Decided before you by ann, who approved it').waitFor()
  assert.equal(await page.locator('textarea:focus').inputValue(), 'seems wrong')
  await page.getByRole('button', { name: 'Dismiss this reason' }).click()
  await reason.waitFor({ state: 'detached' })
  await page.locator('[data-state="approved"]').waitFor()
})

test('2d a reason has 3 to 2,000 characters: with one fewer or one more nothing is sent and the field says so', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'reviews')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') sent += 1
  })
  const pairs = [
    ['ab', 'abc'],
    ['x'.repeat(2_001), 'x'.repeat(2_000)],
  ] as const
  for (const [at, [bad, good]] of pairs.entries()) {
    const { review } = await hold(wire(910 + at))
    await page.goto(`${service.url}/console/reviews/${review.review_id}`)
    await page.getByLabel('Your reason').fill(bad)
    await page.getByRole('button', { name: /^Deny/ }).click()
    await page.getByRole('alert').getByText('A reason has 3 to 2,000 characters.').waitFor()
    assert.deepEqual([sent, (await read(review.review_id)).votes], [at, []])
    await page.getByLabel('Your reason').fill(good)
    await page.getByRole('button', { name: /^Deny/ }).click()
    await page.locator('[data-state="denied"]').waitFor()
    assert.equal((await read(review.review_id)).votes[0].reason, good)
  }
})

test('the one that lapses next comes first, with how long it waits and how long it has, and the policy it was held under', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const [older, newer] = [await hold(wire(920)), await hold(wire(921))]
  const page = await open(t, service.url, 'reviews')
  await page.locator(`[data-review="${newer.review.review_id}"]`).waitFor()
  const places = await page
    .locator('.waits [data-review]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-review')))
  assert.ok(places.indexOf(older.review.review_id) < places.indexOf(newer.review.review_id))
  // In its first second it still has the whole day.
  const times = /\d+ (?:s|min) old[\s\S]*23 h left/
  await page.locator('.wait').first().filter({ hasText: times }).waitFor()
  await page.clock.install({ time: Date.now() + 86_400_000 - 59_000 })
  await page.goto(`${service.url}/console/reviews/${newer.review.review_id}`)
  await page.getByText(/LAPSES IN [1-5]?\d S/).waitFor()
  const { policy_digest } = await read(newer.review.review_id)
  await page.locator(`[data-tip^="${policy_digest}"], [title^="${policy_digest}"]`).first().waitFor()
  for (const { review } of [older, newer]) await decide(review.review_id, { verdict: 'deny', reason: 'not needed' })
})

test('2d where four eyes are needed the asker is told that another person has to approve', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const tokenOf = (name: string) => `${name}-token-0123456789`
  const file = join(freshFolder('reviewers'), 'credentials.json')
  const credentials = ['ann', 'bob', 'eve'].map((name) => ({
    key_id: `${name}-key`,
    namespace: 'team',
    owner_id: name,
    token_sha256: createHash('sha256').update(tokenOf(name)).digest('hex'),
    scopes: ['decisions:write', 'review:read', 'review:decide', 'receipts:read'],
  }))
  writeFileSync(file, JSON.stringify({ credentials }), { mode: 0o600 })
  const settings = { ORCH_STORE: 'memory', ORCH_CREDENTIALS: file, ORCH_REVIEW_FOUR_EYES: '1' }
  const team = await startApp(t, settings, [])
  const asked = await post(`${team.url}/api/orch/v1/wow/govern`, JSON.stringify({ text: wire(930) }), {
    authorization: `Bearer ${tokenOf('ann')}`,
  })
  const expected = [/console error: Failed to load resource/]
  const as = async (name: string) => {
    const page = await open(t, team.url, 'readiness', { expected })
    await page.evaluate((token) => sessionStorage.setItem('orch.token', token), tokenOf(name))
    await page.goto(`${team.url}/console/reviews/${asked.json.review.review_id}`)
    await page.getByLabel('Your reason').fill(`agreed, says ${name}`)
    await page.getByRole('button', { name: /^Approve once/ }).click()
    return page
  }
  const ann = await as('ann')
  await ann.getByRole('alert').getByText('the approver must be neither the requester nor an earlier voter').waitFor()
  const bob = await as('bob')
  await bob.getByText('2 people have to approve, 1 did; whoever asked is not one of them.').waitFor()
  const eve = await as('eve')
  await eve.locator('[data-state="approved"]').waitFor()
})

test('a held request appears by itself, a value in it is masked, and what was decided is listed with who and receipt', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'reviews')
  await page.locator('.facts-bar [data-label="LIVE"]').waitFor()
  const { review } = await hold('Please wire 900 dollars to wallet 7 for ann@example.org')
  await page.locator(`[data-review="${review.review_id}"]`).waitFor()
  await page.goto(`${service.url}/console/reviews/${review.review_id}`)
  await page.locator('.question').waitFor()
  assert.doesNotMatch(await page.locator('.question').innerText(), /example\.org/)
  assert.equal(await page.locator('.question .masked').count(), 1)
  const verdict = (await decide(review.review_id, { verdict: 'deny', reason: 'not this quarter', reviewer: 'bob' }))
    .json
  await page.locator('[data-state="denied"]').waitFor()
  await page.getByText('erased when the review closed, as after every denial, lapse or used approval').waitFor()
  await page.goto(`${service.url}/console/reviews#decided`)
  const row = page.locator(`tr[data-review="${review.review_id}"]`)
  await row.waitFor()
  assert.match((await row.innerText()).replaceAll(/\s+/g, ' '), /^Denied Transfer of value .*bob .?not this quarter/)
  await row.locator(`a[href="/console/receipts/${verdict.receipt.digest}"]`).waitFor()
})

for (const context of LOOKS)
  test(`2g the queue, one review and the decided ones are accessible in ${context.colorScheme} at ${context.viewport.width} px`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const { review } = await hold(wire(950), { session_id: 's1' })
    const page = await open(t, service.url, 'reviews', { context })
    await page.locator('[data-review]').first().waitFor()
    await assertSound(page)
    await page.goto(`${service.url}/console/reviews/${review.review_id}`)
    await page.locator('.steps > li').first().waitFor()
    await assertSound(page)
    await page.goto(`${service.url}/console/reviews#decided`)
    await page.locator('tr[data-review]').first().waitFor()
    await assertSound(page)
  })
