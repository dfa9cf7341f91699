import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { formatCheckpoint, formatVkey, hexDecode, signNote } from '@orch/core'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { log, ORIGIN } from '../../../vectors/source/keys.ts'
import { makeTestKey, writeExportFile } from './testing/export-file.ts'
import { caseText, golden, keys, writeGoldenFiles } from './testing/golden-files.ts'
import { collect, runOrch, startOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-verify')
const orch = (...args: string[]) => runOrch(args, { home })
const write = (name: string, value: unknown) =>
  writeFileSync(join(home, name), typeof value === 'string' ? value : JSON.stringify(value))

before(() => {
  writeGoldenFiles(home)
  const dsse = golden.record.dsse as Record<string, unknown>
  const payload = String(dsse.payload)
  write('tampered.json', {
    ...dsse,
    payload: `${payload.slice(0, 40)}${payload[40] === 'A' ? 'B' : 'A'}${payload.slice(41)}`,
  })
  write('unsigned.json', { dsse: { ...dsse, signatures: [], signed: false, keyid: '' }, digest: golden.record.digest })
  write('empty.json', '')
  write('list.json', '[]')
  write('garbage.json', '{"a":')
  write('other.json', { hello: 'world' })
  write('cut.json', JSON.stringify(golden.export).slice(0, 900))
  write('record.json', golden.record)
  write('reply.json', { schema: 'orch.decision/v1', decision: 'deny', receipt: { digest: golden.record.digest } })
  write('demo.pub', keys.p256.demo.pem)
  write('demo.jsonl', caseText('a demo ledger, the key pinned as production'))
  write('bad.pub', 'not a key')
})
after(() => rmSync(home, { recursive: true, force: true }))

test('4a verify 0: a good receipt under the key that was given', async () => {
  const { code, stdout } = await orch('verify', '--key', 'cosign.pub', 'receipt.json')
  assert.equal(code, 0)
  assert.match(stdout, /PARTIAL/)
})

test('4a verify 0: the whole ledger under pinned keys is a PASS, also with every demand', async () => {
  const own = join(home, 'pinned')
  mkdirSync(own)
  for (const args of [['../cosign.pub', '--kind', 'production'], ['../log.vkey']])
    assert.equal((await runOrch(['keys', 'pin', ...args], { home: own })).code, 0)
  const demands = ['--strict', '--chain', '--require-production']
  const { code, stdout } = await runOrch(['verify', ...demands, '--json', '../ledger.jsonl'], { home: own })
  assert.equal(JSON.parse(stdout).verdict, 'PASS')
  assert.equal(code, 0)
})

test('4a verify 0: evidence from stdin', async () => {
  const input = readFileSync(join(home, 'receipt.json'), 'utf8')
  assert.equal((await runOrch(['verify', '--key', 'cosign.pub', '-'], { home, input })).code, 0)
})

test('4a verify 2: misuse says what is wrong and prints nothing on stdout', async () => {
  const misuses = [
    ['verify'],
    ['verify', '--no-such-flag', 'receipt.json'],
    ['verify', 'no-such-file.json'],
    ['verify', '.'],
    ['verify', '--key', 'no-such.pub', 'receipt.json'],
    ['verify', '--key', 'bad.pub', 'receipt.json'],
    ['verify', '--log-key', 'cosign.pub', 'receipt.json'],
  ]
  for (const args of misuses) {
    const { code, stdout, stderr } = await orch(...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^orch: .+\n$/, args.join(' '))
  }
})

test('4a verify 3: a changed byte, and evidence that was cut off', async () => {
  for (const file of ['tampered.json', 'cut.json'])
    assert.equal((await orch('verify', '--key', 'cosign.pub', file)).code, 3, file)
})

test('4a verify 5: what is no evidence accuses nobody, and a reply says which receipt to fetch', async () => {
  for (const file of ['garbage.json', 'other.json'])
    assert.equal((await orch('verify', '--key', 'cosign.pub', file)).code, 5, file)
  const { code, stdout } = await orch('verify', '--key', 'cosign.pub', 'reply.json')
  assert.equal(code, 5)
  assert.match(stdout, new RegExp(`this reply names receipt ${golden.record.digest}; fetch it with orch ledger show`))
})

test('what none of it proves is said once, however many files there are, and the decision beside the checks', async () => {
  const { stdout } = await orch('verify', '--key', 'cosign.pub', '--log-key', 'log.vkey', 'receipt.json', 'record.json')
  assert.equal(stdout.split('that the decision was wise').length, 2)
  assert.equal(stdout.split('decision       DENY').length, 3)
  assert.match(stdout, / {2}kind {11}decision\n {2}decision {7}DENY/)
  assert.match(stdout, /gates fired {4}pii-egress-guard\n {2}actor {10}local \(open\)\n {2}policy/)
  assert.doesNotMatch(stdout, /pinned/, 'both keys were given and no ring was used')
})

test('4a verify 5: nothing to verify is never a success', async () => {
  for (const args of [['empty.json'], ['list.json'], ['no-such-*.json']])
    assert.equal((await orch('verify', '--key', 'cosign.pub', ...args)).code, 5, args.join(' '))
})

test('4a verify 5: no trusted key, a stranger’s key, unsigned', async () => {
  assert.equal((await orch('verify', 'receipt.json')).code, 5)
  assert.equal((await orch('verify', '--key', 'stranger.pub', 'receipt.json')).code, 5)
  assert.equal((await orch('verify', '--key', 'cosign.pub', 'unsigned.json')).code, 5)
})

test('4a verify 5: demands that are not met, each with a line that says why', async () => {
  for (const demand of ['--strict', '--chain', '--require-production']) {
    const { code, stderr } = await orch('verify', '--key', 'cosign.pub', demand, 'receipt.json')
    assert.equal(code, 5, demand)
    assert.match(stderr, new RegExp(`^receipt\\.json: not enough for ${demand}: .+\n$`))
  }
  const met = await orch('verify', '--key', 'cosign.pub', 'receipt.json')
  assert.deepEqual([met.code, met.stderr], [0, ''])
})

test('an export is complete by a checkpoint that was kept elsewhere, and one that holds less is contradicted', async () => {
  const [head = ''] = readFileSync(join(home, 'ledger.jsonl'), 'utf8').split('\n')
  const { size, root } = JSON.parse(head) as { size: number; root: string }
  const verified = async (checkpoint: { size: number; root: Uint8Array }, key = 'log.vkey', file = 'ledger.jsonl') => {
    write('kept.note', await signNote(formatCheckpoint({ origin: ORIGIN, ...checkpoint }), log.signer))
    const trust = ['--key', 'cosign.pub', '--log-key', key]
    return orch('verify', '--chain', '--checkpoint', 'kept.note', ...trust, file)
  }
  const whole = await verified({ size, root: hexDecode(root)! })
  assert.equal(whole.code, 0, whole.stdout)
  assert.match(
    whole.stdout,
    new RegExp(`inclusion +VERIFIED +all ${size} receipts that the given checkpoint covers are here`),
  )
  assert.match(whole.stdout, new RegExp(`receipts +${size}\n`))
  const short = await verified({ size: size + 60, root: hexDecode(root)! })
  assert.equal(short.code, 3)
  assert.match(short.stdout, new RegExp(`contradicted: the export has ${size} of the ${size + 60} receipts`))
  assert.equal((await verified({ size, root: new Uint8Array(32) })).code, 3)
  assert.equal((await verified({ size: size - 1, root: hexDecode(root)! })).code, 3)
  write('stranger.vkey', formatVkey(ORIGIN, new Uint8Array(32).fill(7)))
  const unknown = await verified({ size, root: hexDecode(root)! }, 'stranger.vkey')
  assert.equal(unknown.code, 5, unknown.stdout)
  assert.match(unknown.stderr, /not enough for --checkpoint: no known log key signed the given checkpoint/)
  assert.equal((await verified({ size, root: hexDecode(root)! }, 'log.vkey', 'receipt.json')).code, 5)
})

test('unsigned evidence is enough when the reader says so, and a failure still is one', async () => {
  assert.equal((await orch('verify', '--allow-unsigned', 'unsigned.json')).code, 0)
  assert.equal(
    (await orch('verify', '--allow-unsigned', 'receipt.json')).code,
    5,
    'signed by a key that is not trusted',
  )
  assert.equal((await orch('verify', '--allow-unsigned', '--key', 'cosign.pub', 'tampered.json')).code, 3)
})

test('several files: the worst result wins, 3 over 5 over 0', async () => {
  const worst = async (...files: string[]) => (await orch('verify', '--key', 'cosign.pub', ...files)).code
  assert.equal(await worst('receipt.json', 'ledger.jsonl'), 0)
  assert.equal(await worst('receipt.json', 'empty.json'), 5)
  assert.equal(await worst('empty.json', 'tampered.json', 'receipt.json'), 3)
})

test('a pattern the shell left alone finds its files', async () => {
  const { code, stdout } = await orch('verify', '--json', '--key', 'cosign.pub', '{receipt,pack}.json', 'rec*.json')
  assert.equal(code, 2, 'braces are no pattern: a file of that name does not exist')
  assert.equal(stdout, '')
  assert.equal((await orch('verify', '--key', 'cosign.pub', 'rec*.json')).code, 0)
})

test('a key that came with the file is never used', async () => {
  const carried = { ...golden.pack, pack: { ...(golden.pack.pack as object) } }
  write('carried.json', carried)
  const { code, stdout } = await orch('verify', '--json', 'carried.json')
  const report = JSON.parse(stdout) as { checks: { check: string; status: string }[] }
  assert.equal(code, 5)
  assert.equal(report.checks.find(({ check }) => check === 'signature')?.status, 'UNAVAILABLE')
  assert.match(JSON.stringify(golden.pack), /BEGIN PUBLIC KEY/, 'the pack does carry its key')
})

test('a demo key never passes for production', async () => {
  const own = join(home, 'demo')
  mkdirSync(own)
  assert.equal((await runOrch(['keys', 'pin', '../demo.pub'], { home: own })).code, 0)
  assert.equal((await runOrch(['verify', '../demo.jsonl'], { home: own })).code, 0)
  assert.equal((await runOrch(['verify', '--require-production', '../demo.jsonl'], { home: own })).code, 5)
  const { code, stderr } = await runOrch(['keys', 'pin', '../demo.pub', '--kind', 'production'], { home: own })
  assert.equal(code, 2, 'one key has one kind')
  assert.match(stderr, /pinned as demo/)
})

test('4f one bad receipt among 10,000 is found with its line number', async () => {
  const key = makeTestKey()
  write('bulk.pub', key.pem)
  writeExportFile(join(home, 'bulk.jsonl'), { receipts: 10_000, key, forged: [7_345] })
  const { code, stdout } = await orch('verify', '--json', '--key', 'bulk.pub', 'bulk.jsonl')
  assert.equal(code, 3)
  const { subject, verdict } = JSON.parse(stdout)
  assert.equal(verdict, 'FAIL')
  assert.equal(subject.first_bad.line, 7_347)
  assert.equal(subject.first_bad.node_index, 7_345)
})

test('a changed character in the middle of an export is found at its line', async () => {
  const lines = readFileSync(join(home, 'bulk.jsonl'), 'utf8').split('\n')
  lines[5_000] = lines[5_000]!.replace(/"p":"(.{60})./, (_, start: string) => `"p":"${start}!`)
  write('edited.jsonl', lines.join('\n'))
  const { code, stdout } = await orch('verify', '--json', '--key', 'bulk.pub', 'edited.jsonl')
  assert.deepEqual([code, JSON.parse(stdout).subject.first_bad.line], [3, 5_001])
})

test('an export that is cut short fails, however it is cut', async () => {
  const text = readFileSync(join(home, 'ledger.jsonl'), 'utf8')
  for (const end of [text.length - 2, text.lastIndexOf('{'), Math.floor(text.length / 2)]) {
    write('cut.jsonl', text.slice(0, end))
    assert.equal((await orch('verify', '--key', 'cosign.pub', 'cut.jsonl')).code, 3, String(end))
  }
})

test('4a verify 130: interrupted while it waits for stdin', async () => {
  // A process that was interrupted before it had begun ends by the signal itself: then it gets more time.
  for (let ms = 700; ; ms *= 2) {
    const child = startOrch(['verify', '-'], { home })
    const result = collect(child)
    child.stdin?.write(' ')
    await pause(ms)
    child.kill('SIGINT')
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (signal === 'SIGINT' && ms < 20_000) continue
    assert.deepEqual([code, result().stdout], [130, ''])
    return
  }
})

test('a reader that went away ends the output quietly and does not hide a failure', async () => {
  const child = startOrch(['verify', '--key', 'cosign.pub', 'receipt.json', 'tampered.json'], { home })
  const result = collect(child)
  child.stdout?.destroy()
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 3)
  assert.doesNotMatch(result().stderr, /EPIPE|Error/)
})

test('4a pack verify: 0, 2, 3 and 5', async () => {
  assert.equal((await orch('pack', 'verify', '--key', 'cosign.pub', 'pack.json')).code, 0)
  assert.equal((await orch('pack', 'verify')).code, 2)
  assert.equal((await orch('pack', 'verify', '--key', 'cosign.pub', 'receipt.json')).code, 2, 'no pack')
  assert.equal((await orch('pack', 'verify', 'pack.json')).code, 5)
  assert.equal((await orch('pack', 'verify', 'empty.json')).code, 5)
  write('altered-pack.json', { ...golden.pack, pack: { ...(golden.pack.pack as object), what: 'another thing' } })
  assert.equal((await orch('pack', 'verify', '--key', 'cosign.pub', 'altered-pack.json')).code, 3)
})

test('text from the file cannot steer the terminal', async () => {
  write('escape.json', { schema: 'orch.receipt/v1', '\u001b[2Jcleared': 1 })
  const { stdout, stderr } = await orch('verify', '--key', 'cosign.pub', 'escape.json')
  assert.ok(!`${stdout}${stderr}`.includes('\u001b'))
})
