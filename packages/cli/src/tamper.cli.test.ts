import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { LedgerExportVerifier, type Trust } from '@orch/core'
import { LINE_ATTACKS, rehashedForward } from '@orch/server/testing/export-tampering.ts'
import { fork } from '@orch/server/testing/fork.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { makeTestKey, writeExportFile } from './testing/export-file.ts'
import { runOrch } from './testing/run-orch.ts'
import { verifyPath } from './verify.ts'

const SIZE = 1_000
const home = freshFolder('cli-tamper')
const key = makeTestKey()
const trust: Trust = { keys: [{ key: key.key, kind: 'production' }] }
const read = (name: string) => readFileSync(join(home, name), 'utf8').trimEnd().split('\n')
const write = (name: string, lines: readonly string[]) => writeFileSync(join(home, name), `${lines.join('\n')}\n`)
let signed: string[] = []
let unsigned: string[] = []

before(() => {
  writeExportFile(join(home, 'signed.jsonl'), { receipts: SIZE, key })
  writeExportFile(join(home, 'unsigned.jsonl'), { receipts: SIZE, key, unsigned: true })
  writeFileSync(join(home, 'test.pub'), key.pem)
  signed = read('signed.jsonl')
  unsigned = read('unsigned.jsonl')
})
after(() => rmSync(home, { recursive: true, force: true }))

type Bad = { first_bad?: { line: number; node_index: number } } | null
const placeOf = (subject: unknown) => {
  const bad = (subject as Bad)?.first_bad
  return [bad?.line, bad?.node_index]
}
const around = (middle: readonly string[], file: readonly string[]) => [file[0]!, ...middle, file.at(-1)!]

for (const [name, attack] of Object.entries(LINE_ATTACKS))
  test(`${name}: at each of 1,000 positions the verifier names the exact line and index`, async () => {
    const receipts = unsigned.slice(1, -1)
    const sound = new LedgerExportVerifier(trust)
    sound.push(unsigned[0]!)
    const positions = name === 'swap' ? SIZE - 1 : SIZE
    for (let at = 0; at < positions; at += 1) {
      const { tampered, brokenAt } = attack(receipts, at)
      const verifier = fork(sound)
      for (const line of [...tampered.slice(at), unsigned.at(-1)!]) await verifier.push(line)
      const { verdict, subject } = await verifier.finish()
      assert.deepEqual([verdict, ...placeOf(subject)], ['FAIL', brokenAt + 2, brokenAt], `${name} at ${at}`)
      await sound.push(receipts[at]!)
    }
    assert.equal(sound.progress.lines, positions + 1)
  })

test('hashed forward without the key, root and all, the file fails at the first receipt that was changed', async () => {
  assert.equal((await verifyPath(join(home, 'signed.jsonl'), trust)).verdict, 'PARTIAL')
  assert.deepEqual(rehashedForward(rehashedForward(signed, 7), 7), signed, 'the forger spells everything as we do')
  for (let iteration = 0; iteration < 20; iteration += 1) {
    const from = (iteration * 52 + 3) % SIZE
    write('forged.jsonl', rehashedForward(signed, from))
    const { verdict, subject, checks } = await verifyPath(join(home, 'forged.jsonl'), trust)
    assert.deepEqual([verdict, ...placeOf(subject)], ['FAIL', from + 2, from])
    assert.equal(checks.find(({ check }) => check === 'signature')?.status, 'MISMATCH')
  }
})

for (const name of [...Object.keys(LINE_ATTACKS), 're-hash forward'])
  test(`${name}: the command ends in 3 and names line and index`, async () => {
    const at = 617
    const attacked = LINE_ATTACKS[name]?.(signed.slice(1, -1), at)
    const brokenAt = attacked?.brokenAt ?? at
    write('attacked.jsonl', attacked ? around(attacked.tampered, signed) : rehashedForward(signed, at))
    const { code, stdout } = await runOrch(['verify', '--json', '--key', 'test.pub', 'attacked.jsonl'], { home })
    const { verdict, subject } = JSON.parse(stdout)
    assert.deepEqual([code, verdict, ...placeOf(subject)], [3, 'FAIL', brokenAt + 2, brokenAt])
  })
