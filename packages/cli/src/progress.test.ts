import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from './progress.ts'

function terminal(errIsTty: boolean) {
  const said: string[] = []
  return { said, errIsTty, say: (line: string) => said.push(`${line}\n`), rewrite: (text: string) => said.push(text) }
}

test('a bar is drawn at most ten times a second and always ends at the last count', () => {
  const screen = terminal(true)
  let now = 0
  const bar = createProgress(screen, 'auto', 'verify', () => now)
  for (; now <= 1000; now += 10) bar.update(now, 1000)
  bar.end()
  assert.ok(screen.said.length <= 13, String(screen.said.length))
  assert.match(screen.said.at(-2)!, /\[#{24}\] 100 % 1,000\/1,000 [\d,]+\/s 0 s left$/)
  assert.ok(screen.said[5]!.startsWith('\r\u001b[Kverify [#'), 'the line is written over')
  assert.match(screen.said[5]!, /\] \d+ % \d+\/1,000 1,000\/s \d s left$/)
})

test('without a terminal there is one plain line every ten seconds', () => {
  const log = terminal(false)
  let now = 0
  const lines = createProgress(log, 'auto', 'export', () => now)
  for (; now <= 25_000; now += 500) lines.update(now, 50_000)
  lines.end()
  assert.deepEqual(log.said, [
    'export 20 % 10,000/50,000 1,000/s 40 s left\n',
    'export 40 % 20,000/50,000 1,000/s 30 s left\n',
  ])
})

test('never means never, and an unknown total is no share', () => {
  const silent = terminal(true)
  createProgress(silent, 'never', 'x').update(1, 1)
  const open = terminal(true)
  let now = 0
  const bar = createProgress(open, 'auto', 'x', () => now)
  now = 1000
  bar.update(5, null)
  assert.deepEqual([silent.said, open.said], [[], ['\r\u001b[Kx 5 5/s']])
})
