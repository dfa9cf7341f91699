import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { collect, runOrch, startOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-govern')
const WIRE = 'Please wire 900 dollars to wallet 7 tomorrow'
const REASON = ['--reason', 'the amount is agreed']
let service: Service
let env: Record<string, string>
const orch = (...args: string[]) => runOrch(args, { home, env })

before(async () => {
  service = await startService()
  env = { ORCH_BASE_URL: service.url }
})
after(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

async function pending(): Promise<string> {
  const { code, stdout } = await orch('govern', WIRE, '--json')
  assert.equal(code, 7)
  return JSON.parse(stdout).review.review_id
}

test('4a govern: 0 for allow, 6 for deny, 7 for review, and the decision on stdout each time', async () => {
  for (const [text, wanted, decision] of [
    ['What is the capital of France?', 0, 'allow'],
    ['My SSN is 123-45-6789, please file it.', 6, 'deny'],
    [WIRE, 7, 'review'],
  ] as const) {
    const { code, stdout, stderr } = await orch('govern', text, '--json')
    const answer = JSON.parse(stdout)
    assert.deepEqual([code, answer.decision], [wanted, decision], stderr)
    assert.match(answer.receipt.digest, /^[0-9a-f]{64}$/)
    assert.doesNotMatch(stderr, /[{}]/)
    const plain = await orch('govern', text)
    assert.equal(plain.code, wanted)
    assert.ok(plain.stdout.startsWith(decision.toUpperCase()))
    assert.match(plain.stdout, /lambda .*\(MODELED, can hold, never lets pass, Conjecture 1\)/)
  }
})

test('govern reads stdin and sends tool, session, effect, class and context', async () => {
  writeFileSync(join(home, 'context.json'), '{"note":"My SSN is 123-45-6789"}')
  const piped = await runOrch(['govern', '-', '--json'], { home, env, input: 'Summarise the plan\n' })
  assert.deepEqual([piped.code, JSON.parse(piped.stdout).decision], [0, 'allow'])
  const inContext = JSON.parse((await orch('govern', 'File it', '--context', 'context.json', '--json')).stdout)
  assert.deepEqual([inContext.decision, inContext.findings[0].pointer], ['deny', '/note'])
  const declared = JSON.parse((await orch('govern', 'Summarise the plan', '--declared', 'SECRET', '--json')).stdout)
  assert.deepEqual([declared.decision, declared.sensitivity.class], ['review', 'SECRET'])
  const write = ['govern', 'Update the index', '--effect', 'write', '--tool', 'unheard_of', '--json']
  assert.deepEqual(JSON.parse((await orch(...write)).stdout).reasons, ['POLICY_DEFAULT_DENY'])
  const spent = async (): Promise<number> =>
    JSON.parse((await orch('govern', WIRE, '--session', 's-1', '--json')).stdout).budget.spent_micro
  assert.equal(await spent(), 0)
  assert.ok((await spent()) > 0)
})

test('4a govern 2: no text, two texts, a blank one, a wrong word, a missing or odd context, a limit without wait', async () => {
  writeFileSync(join(home, 'list.json'), '[1]')
  writeFileSync(join(home, 'twice.json'), '{"a":1,"a":2}')
  for (const args of [
    [],
    ['two', 'words'],
    ['   '],
    ['x', '--effect', 'huge'],
    ['x', '--declared', 'whispered'],
    ['x', '--context', 'no-such-file'],
    ['x', '--context', 'list.json'],
    ['x', '--context', 'twice.json'],
    ['x', '--timeout', '5'],
    ['x', '--wait', '--timeout', 'soon'],
    ['-', '--context', '-'],
  ]) {
    const { code, stdout, stderr } = await orch('govern', ...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^orch: /)
  }
})

test('4a govern 1: something that answers in the place of the service has not decided', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"decision":"ALLOW"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const { code, stdout } = await orch('govern', 'hello', '--url', url)
  server.close()
  assert.deepEqual([code, stdout], [1, ''])
})

/** Starts `govern --wait` and gives the review it waits for, and the end of it. */
async function waiting(...flags: string[]) {
  const child = startOrch(['govern', WIRE, '--wait', '--json', ...flags], { home, env })
  child.stdin?.end()
  const result = collect(child)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const named = () => /approve (rev_\S+)/.exec(result().stderr)?.[1]
  for (let tried = 0; named() === undefined && tried < 400; tried += 1) await pause(50)
  return { id: named()!, child, end: async () => ({ code: await ended, ...result() }) }
}

test('4a govern --wait: 0 once a person approved, with the request sent again under the review', async () => {
  const { id, end } = await waiting()
  assert.equal((await orch('review', 'approve', id, ...REASON)).code, 0)
  const { code, stdout } = await end()
  const answer = JSON.parse(stdout)
  assert.deepEqual([code, answer.decision, answer.reasons], [0, 'allow', ['APPROVED_BY_REVIEW']])
  assert.equal(answer.settled.state, 'approved')
  const shown = JSON.parse((await orch('review', 'show', id, '--json')).stdout)
  assert.deepEqual([shown.state, shown.consumed_by], ['consumed', answer.receipt.digest])
})

test('4a govern --wait: 6 when a person denies, 7 when the time is up, 130 when interrupted', async () => {
  const denied = await waiting()
  await orch('review', 'deny', denied.id, '--reason', 'not this quarter')
  const no = await denied.end()
  assert.deepEqual([no.code, JSON.parse(no.stdout).settled.state], [6, 'denied'])
  const { code, stdout } = await (await waiting('--timeout', '1')).end()
  assert.deepEqual([code, JSON.parse(stdout).decision], [7, 'review'])
  const stopped = await waiting()
  stopped.child.kill('SIGINT')
  assert.equal((await stopped.end()).code, 130)
})

test('an approval given beforehand lets the same request pass once, and no other', async () => {
  const id = await pending()
  await orch('review', 'approve', id, ...REASON, '--reviewer', 'ann')
  assert.equal((await orch('govern', 'Please wire 901 dollars to wallet 7', '--review', id)).code, 7)
  assert.equal((await orch('govern', WIRE, '--review', id)).code, 0)
  assert.equal((await orch('govern', WIRE, '--review', id)).code, 7)
})

test('review ls narrows and pages, show prints what was asked, a verdict is a receipt that verifies', async () => {
  const id = await pending()
  const listed = JSON.parse((await orch('review', 'ls', '--limit', '1', '--json')).stdout)
  assert.deepEqual([listed.items.length, listed.items[0].review_id], [1, id])
  const lines = (await orch('review', 'ls', '--state', 'all', '--jsonl')).stdout.trim().split('\n')
  assert.ok(lines.length > 1 && lines.every((line) => JSON.parse(line).schema === 'orch.review/v1'))
  const shown = JSON.parse((await orch('review', 'show', id)).stdout)
  assert.deepEqual([shown.state, shown.payload.request.text], ['pending', WIRE])
  const verdict = JSON.parse((await orch('review', 'deny', id, '--reason', 'not this quarter', '--json')).stdout)
  assert.equal(verdict.state, 'denied')
  writeFileSync(join(home, 'cosign.pub'), await (await fetch(`${service.url}/cosign.pub`)).text())
  writeFileSync(join(home, 'verdict.json'), (await orch('ledger', 'show', verdict.receipt.digest, '--json')).stdout)
  assert.equal((await orch('verify', '--key', 'cosign.pub', 'verdict.json')).code, 0)
})

test('4a review 2: nobody named, no reason, a short one, an unknown or closed review, a wrong state', async () => {
  const closed = await pending()
  await orch('review', 'deny', closed, '--reason', 'not this quarter')
  for (const args of [
    ['show'],
    ['show', 'a', 'b'],
    ['show', 'rev_nothing'],
    ['approve', closed],
    ['approve', closed, '--reason', 'no'],
    ['approve', closed, ...REASON],
    ['deny', 'rev_nothing', ...REASON],
    ['ls', '--state', 'ajar'],
    ['ls', '--limit', 'many'],
    ['ls', '--cursor', 'x'],
  ]) {
    const { code, stdout } = await orch('review', ...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
  }
})
