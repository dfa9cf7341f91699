import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { freshFolder } from '#testing/private-folder.ts'
import { checkGate } from './gate.ts'
import { type Place, reloadModel, scoreTexts } from './io/job.ts'
import { openModelFiles } from './io/model-files.ts'
import { manifestText, readManifest } from './manifest.ts'
import { MODEL_FOLDER } from './open.ts'

const folder = freshFolder('m1')
after(() => rmSync(folder, { recursive: true, force: true }))
cpSync(MODEL_FOLDER, folder, { recursive: true })
const files = openModelFiles(folder)
const manifest = readManifest(readFileSync(join(folder, 'manifest.json'), 'utf8'))!
const NOW = '2026-11-16T08:00:00.000Z'
const known = async () => manifest.reload.logits_sha256
const gate = async (reload = known) => (await checkGate(files, reload, NOW)).gate

async function changed<T>(name: string, change: (bytes: Buffer) => Uint8Array, look: () => Promise<T>): Promise<T> {
  const path = join(folder, name)
  const before = readFileSync(path)
  writeFileSync(path, change(Buffer.from(before)))
  try {
    return await look()
  } finally {
    writeFileSync(path, before)
  }
}

test('the committed model passes every check, and each digest is the one of its file', async () => {
  const found = await gate()
  assert.equal(found.operational_state, 'READY_EXPERIMENTAL', JSON.stringify(found.checks))
  assert.equal(found.inference_mode, 'EXPERIMENTAL_LOCAL_ONLY')
  const { label, bits_per_byte } = found.evaluation as {
    label: string
    bits_per_byte: Record<string, { ci95: number[] }>
  }
  assert.equal(label, 'SAMPLE')
  assert.ok(bits_per_byte.m1!.ci95[1]! < bits_per_byte.order_5_kneser_ney!.ci95[0]!)
  assert.ok(bits_per_byte.order_5_kneser_ney!.ci95[1]! < bits_per_byte.unigram!.ci95[0]!)
})

test('the list names every file of the folder and nothing else', () => {
  const there = readdirSync(MODEL_FOLDER).filter((name) => name !== 'manifest.json' && name !== '__pycache__')
  assert.deepEqual(
    manifest.files.map(({ path }) => path),
    there.sort(),
  )
})

test('one changed byte in any file blocks the gate, wherever it is', async () => {
  const names = [...manifest.files.map(({ path }) => path), 'manifest.json']
  for (const name of names) {
    const length = readFileSync(join(folder, name)).length
    const draws = name === 'weights.safetensors' ? 2 : 5
    const places = fc.sample(fc.tuple(fc.nat(length - 1), fc.integer({ min: 1, max: 255 })), {
      numRuns: draws,
      seed: 19,
    })
    for (const [place, mask] of places) {
      const flip = (bytes: Buffer) => {
        bytes[place]! ^= mask
        return bytes
      }
      const { operational_state, inference_mode } = await changed(name, flip, gate)
      assert.deepEqual([operational_state, inference_mode], ['BLOCKED', 'DISABLED'], `${name} ${place} ${mask}`)
    }
  }
  assert.equal((await gate()).operational_state, 'READY_EXPERIMENTAL')
})

test('a byte more or less blocks by its length, and whitespace in the list blocks as well', async () => {
  const shorter = await changed('config.json', (bytes) => bytes.subarray(1), gate)
  assert.match(shorter.checks.config.reason!, /bytes, listed are/)
  const spaced = await changed('manifest.json', (bytes) => Buffer.concat([bytes, Buffer.from('\n')]), gate)
  assert.deepEqual([spaced.checks.manifest.state, spaced.operational_state], ['BLOCKED', 'BLOCKED'])
})

test('a file that is away is unavailable, a link in its place is refused', async () => {
  const path = join(folder, 'weights.safetensors')
  renameSync(path, `${path}.away`)
  const away = await gate()
  assert.deepEqual([away.checks.weights.state, away.operational_state], ['UNAVAILABLE', 'UNAVAILABLE'])
  assert.equal(away.checks.offline_reload.state, 'UNAVAILABLE')
  symlinkSync(`${path}.away`, path)
  assert.equal((await gate()).checks.weights.state, 'BLOCKED')
  rmSync(path)
  renameSync(`${path}.away`, path)
  assert.equal((await gate()).operational_state, 'READY_EXPERIMENTAL')
})

test('an evaluation whose intervals touch the unigram’s, other logits and another provider each block', async () => {
  assert.equal((await gate(async () => 'ab'.repeat(32))).checks.offline_reload.state, 'BLOCKED')
  const relisted = async (name: string, change: (value: Record<string, never>) => void, payload = manifest) => {
    const text = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    change(text)
    const bytes = Buffer.from(JSON.stringify(text))
    const { createHash } = await import('node:crypto')
    const row = { path: name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    const files = payload.files.map((each) => (each.path === name ? row : each))
    const list = Buffer.from(manifestText({ ...payload, files }))
    return changed(
      name,
      () => bytes,
      () => changed('manifest.json', () => list, gate),
    )
  }
  const touching = await relisted('evaluation.json', (value: Record<string, Record<string, { ci95: number[] }>>) => {
    value.bits_per_byte!.m1!.ci95[1] = value.bits_per_byte!.unigram!.ci95[0]!
  })
  assert.match(touching.checks.evaluation.reason!, /does not beat the unigram/)
  const another = await relisted('training-receipt.json', (value: Record<string, unknown>) => {
    value.weights_sha256 = 'ab'.repeat(32)
  })
  assert.match(another.checks.training_receipt.reason!, /another weights.safetensors/)
  const uncorrected = await relisted('training-receipt.json', (value: Record<string, unknown>) => {
    delete value.corrections
  })
  assert.match(uncorrected.checks.training_receipt.reason!, /another corpus.py/)
  const other = await relisted('config.json', () => undefined, { ...manifest, provider_id: 'somebody' })
  assert.equal(other.checks.provider_identity.state, 'BLOCKED')
})

test('names that leave the folder are not looked at', async () => {
  for (const name of ['../m1/config.json', '/etc/passwd', '.', 'a/b', ''])
    assert.equal((await files.look(name)).state, 'refused')
})

const place = (): Place => {
  const digestOf = (name: string) => manifest.files.find(({ path }) => path === name)!.sha256
  const digests = {
    weights: digestOf('weights.safetensors'),
    tokenizer: digestOf('tokenizer.json'),
    config: digestOf('config.json'),
  }
  return { folder, digests }
}

test('the committed weights give the committed logits and, within a thousandth, the bits per byte of the sample', () => {
  assert.equal(reloadModel({ place: place(), prompt: manifest.reload.prompt }), manifest.reload.logits_sha256)
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const { documents } = read('held-out-sample.json') as { documents: { id: string; bytes: number; text: string }[] }
  const { sample } = read('evaluation.json') as { sample: { bits_per_byte: number; documents: { bits: number }[] } }
  const scored = scoreTexts({ place: place(), texts: documents.map(({ text }) => text) })
  const sum = (values: number[]) => values.reduce((a, b) => a + b)
  const found = sum(scored.map(({ bits }) => bits)) / sum(scored.map(({ bytes }) => bytes))
  assert.ok(Math.abs(found - sample.bits_per_byte) < 1e-3, `${found} and ${sample.bits_per_byte}`)
  for (const [at, { bits }] of scored.entries()) assert.ok(Math.abs(bits - sample.documents[at]!.bits) < 0.01)
})

test('what changed since it was looked at is not loaded', () => {
  const { digests } = place()
  assert.throws(
    () => reloadModel({ place: { folder, digests: { ...digests, tokenizer: 'ab'.repeat(32) } }, prompt: 'a' }),
    /tokenizer.json changed/,
  )
})
