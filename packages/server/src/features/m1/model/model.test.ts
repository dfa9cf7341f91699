import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { sfc32 } from '../../../domain/sfc32.ts'
import { MODEL_FOLDER } from '../open.ts'
import { type ModelConfig, Session, toModel } from './forward.ts'
import { generate } from './generate.ts'
import { readSafetensors, type Tensor } from './safetensors.ts'
import { chooseToken, logProbabilities } from './sampling.ts'
import { Tokenizer } from './tokenizer.ts'

const CONFIG: ModelConfig = {
  ...{ layers: 2, width: 16, heads: 2, hidden: 24, context: 32, vocabulary: 2048 },
  ...{ rope_base: 10_000, rms_epsilon: 1e-5 },
}
const tokenizer = new Tokenizer(JSON.parse(readFileSync(`${MODEL_FOLDER}tokenizer.json`, 'utf8')))

/** Weights nobody trained: what is computed with them is as exact as with any other. */
function tensorsOf({ layers, width, hidden, vocabulary }: ModelConfig): Map<string, Tensor> {
  const { normal } = sfc32('m1 test weights', {})
  const tensor = (...shape: number[]): Tensor => ({
    shape,
    values: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => normal() * 0.3),
  })
  const square = ['query', 'key', 'value', 'output'].map((name) => [name, [width, width]] as const)
  const mlp = [['gate', [hidden, width]] as const, ['up', [hidden, width]] as const, ['down', [width, hidden]] as const]
  const norms = ['attention_norm', 'mlp_norm'].map((name) => [name, [width]] as const)
  const rows = Array.from({ length: layers }, (_, at) =>
    [...square, ...mlp, ...norms].map(([name, shape]) => [`layers.${at}.${name}`, tensor(...shape)] as const),
  )
  return new Map([['embedding', tensor(vocabulary, width)], ['final_norm', tensor(width)], ...rows.flat()])
}
const tensors = tensorsOf(CONFIG)
const model = toModel(CONFIG, tensors)

/** The same arithmetic as nested loops over positions and heads, without blocks and without a cache. */
function slowLogits(tokens: readonly number[]): number[] {
  const of = (name: string) => tensors.get(name)!.values
  const { width, heads, hidden, layers, vocabulary, rms_epsilon, rope_base } = CONFIG
  const dot = (name: string, row: number, x: number[]) =>
    x.reduce((sum, value, at) => sum + value * of(name)[row * x.length + at]!, 0)
  const times = (name: string, rows: number, x: number[]) => Array.from({ length: rows }, (_, row) => dot(name, row, x))
  const norm = (name: string, x: number[]) => {
    const scale = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / width + rms_epsilon)
    return x.map((value, at) => (value / scale) * of(name)[at]!)
  }
  const size = width / heads
  const turn = (x: number[], position: number) =>
    x.map((value, at) => {
      const inHead = at % size
      const angle = position * rope_base ** (-(inHead % (size / 2)) / (size / 2))
      const isFirst = inHead < size / 2
      const partner = x[isFirst ? at + size / 2 : at - size / 2]!
      return value * Math.cos(angle) + (isFirst ? -partner : partner) * Math.sin(angle)
    })
  let states = tokens.map((token) => Array.from(of('embedding').subarray(token * width, (token + 1) * width)))
  for (let layer = 0; layer < layers; layer++) {
    const name = (part: string) => `layers.${layer}.${part}`
    const normed = states.map((x) => norm(name('attention_norm'), x))
    const queries = normed.map((x, at) => turn(times(name('query'), width, x), at))
    const keys = normed.map((x, at) => turn(times(name('key'), width, x), at))
    const values = normed.map((x) => times(name('value'), width, x))
    states = states.map((x, at) => {
      const mixed = Array.from({ length: width }, (_, place) => {
        const head = Math.floor(place / size) * size
        const weights = keys.slice(0, at + 1).map((key) => {
          let sum = 0
          for (let i = head; i < head + size; i++) sum += queries[at]![i]! * key[i]!
          return Math.exp(sum / Math.sqrt(size))
        })
        const total = weights.reduce((a, b) => a + b)
        return weights.reduce((sum, weight, seen) => sum + (weight / total) * values[seen]![place]!, 0)
      })
      const y = x.map((value, place) => value + times(name('output'), width, mixed)[place]!)
      const z = norm(name('mlp_norm'), y)
      const up = times(name('up'), hidden, z)
      const inner = times(name('gate'), hidden, z).map((gate, place) => (gate / (1 + Math.exp(-gate))) * up[place]!)
      const down = times(name('down'), width, inner)
      return y.map((value, place) => value + down[place]!)
    })
  }
  return times('embedding', vocabulary, norm('final_norm', states.at(-1)!))
}

test('the forward pass agrees with one written as plain loops', () => {
  const tokens = [0, 66, 1270, 5, 5, 2047, 300]
  const fast = new Session(model).take(tokens, { lastOnly: true })
  const slow = slowLogits(tokens)
  for (const [at, logit] of slow.entries()) assert.ok(Math.abs(logit - fast[at]!) < 1e-9, `${at}`)
})

test('whatever way tokens are handed over, every logit has the same bits', () => {
  const cut = fc.array(fc.nat(2047), { minLength: 1, maxLength: 24 })
  fc.assert(
    fc.property(cut, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 24, maxLength: 24 }), (tokens, sizes) => {
      const whole = new Session(model).take(tokens)
      const session = new Session(model)
      const parts: number[] = []
      for (let at = 0, turn = 0; at < tokens.length; at += sizes[turn++]!)
        parts.push(...session.take(tokens.slice(at, at + sizes[turn]!)))
      assert.equal(session.length, tokens.length)
      assert.ok(parts.every((logit, at) => Object.is(logit, whole[at])))
    }),
    { seed: 19, numRuns: 12 },
  )
})

test('a later token changes nothing before it, and there is no room beyond the context', () => {
  const [one, other] = [
    [0, 7, 8, 9],
    [0, 7, 8, 1000],
  ].map((tokens) => new Session(model).take(tokens))
  assert.deepEqual(one!.subarray(0, 3 * 2048), other!.subarray(0, 3 * 2048))
  assert.throws(() => new Session(model).take(Array.from({ length: 33 }, () => 1)), RangeError)
  assert.equal(new Session(model).take(Array.from({ length: 32 }, () => 1)).length, 32 * 2048)
})

test('any text comes back from its tokens, and no token is unknown', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme-ascii' }),
  )
  fc.assert(
    fc.property(text, (given) => {
      const sent = given.toWellFormed()
      const tokens = tokenizer.encode(sent)
      assert.equal(tokenizer.decode(tokens), sent)
      assert.ok(tokens.every((token) => token > 0 && token < tokenizer.size))
    }),
    { seed: 19, numRuns: 60 },
  )
})

test('the tokens are those of the trainer: a text that its script encoded', () => {
  const text = 'A receipt is the record of what was decided'
  assert.deepEqual(tokenizer.encode(text), [66, 1270, 106, 359, 307, 262, 1321, 276, 1408, 526, 1120, 320, 273])
})

test('bytes that end inside a character are held back', () => {
  const tokens = tokenizer.encode('é€')
  const bytes = tokens.flatMap((token) => [...tokenizer.bytesOf(token)])
  const single = bytes.map((byte) => byte + 1)
  assert.equal(tokenizer.decode(single), 'é€')
  assert.equal(tokenizer.decode(single.slice(0, 4)), 'é')
  assert.equal(tokenizer.decode(single.slice(0, 1)), '')
})

test('probabilities sum to one, also of logits far apart', () => {
  for (const logits of [new Session(model).take([0, 5], { lastOnly: true }), Float64Array.of(1000, -1000, 999, 0)]) {
    const total = logProbabilities(logits).reduce((sum, logprob) => sum + Math.exp(logprob), 0)
    assert.ok(Math.abs(total - 1) < 1e-6)
  }
})

const logits = Float64Array.of(1, 3, 3, 2, -1)
const rules = (temperature: number, topK = 0, topP = 1) => ({ temperature, topK, topP })
const chosen = (given: ReturnType<typeof rules>, uniform: number) => chooseToken(logits, given, () => uniform, 5)

test('temperature 0 takes the likeliest token, the lowest of equals, and draws nothing', () => {
  const { id, top } = chooseToken(logits, rules(0), () => assert.fail('nothing is drawn'), 5)
  assert.equal(id, 1)
  assert.deepEqual(
    top.map((each) => each.id),
    [1, 2, 3, 0, 4],
  )
  assert.deepEqual(chooseToken(logits, rules(0), () => 0, 0).top, [])
})

test('the lowest temperature draws from the likeliest tokens', () => {
  const { id } = chosen(rules(0), 0)
  for (const temperature of [Number.MIN_VALUE, 1e-308, 1e-307, 1e-100])
    for (const uniform of [0, 0.5, 1 - 2 ** -53])
      for (const given of [rules(temperature), rules(temperature, 2), rules(temperature, 0, 0.9)])
        assert.ok(logits[chosen(given, uniform).id] === logits[id], `${temperature}`)
})

test('a draw finds its place in the distribution of the temperature', () => {
  const shares = (temperature: number) => {
    const weights = Array.from(logits, (logit) => Math.exp(logit / temperature))
    const total = weights.reduce((a, b) => a + b)
    return weights.map((weight) => weight / total)
  }
  for (const temperature of [0.1, 0.7, 1, 2]) {
    const counts = new Float64Array(5)
    const draws = 4000
    for (let at = 0; at < draws; at++) counts[chosen(rules(temperature), (at + 0.5) / draws).id]! += 1 / draws
    for (const [id, share] of shares(temperature).entries())
      assert.ok(Math.abs(counts[id]! - share) <= 1.5 / draws, `${temperature} ${id}`)
  }
})

test('the k likeliest and the nucleus are all that can be drawn, whatever the draw', () => {
  const drawnBy = (given: ReturnType<typeof rules>) =>
    [...new Set(Array.from({ length: 500 }, (_, at) => chosen(given, at / 500).id))].sort()
  assert.deepEqual(drawnBy(rules(1, 1)), [1])
  assert.deepEqual(drawnBy(rules(1, 3)), [1, 2, 3])
  assert.deepEqual(drawnBy(rules(1, 0, 0.5)), [1, 2])
  assert.deepEqual(drawnBy(rules(1, 0, 0)), [1])
  assert.deepEqual(drawnBy(rules(1, 2, 0.5)), [1])
  assert.equal(chosen(rules(1), 1 - 2 ** -53).id, 4)
})

test('the log-probability is the model’s own, whatever temperature and filter chose the token', () => {
  const own = logProbabilities(logits)
  for (const given of [rules(0), rules(0.2, 2), rules(1, 0, 0.9)]) {
    const { id, logprob } = chosen(given, 0.4)
    assert.equal(logprob, own[id])
  }
})

const request = { maxNewTokens: 8, temperature: 0, topK: 0, topP: 1, topLogprobs: 2, stop: [] as string[] }
const made = (more: Partial<typeof request> & { prompt: string }, uniform = () => 0.5, tell?: (text: string) => void) =>
  generate(model, tokenizer, { ...request, ...more }, uniform, tell)

test('what is generated with a cache is what a full pass over all tokens would choose', () => {
  const { tokens, promptTokens } = made({ prompt: 'one two' })
  const seen = [0, ...tokenizer.encode('one two')]
  assert.equal(promptTokens, seen.length - 1)
  for (const { id, logprob } of tokens) {
    const full = logProbabilities(new Session(model).take(seen, { lastOnly: true }))
    assert.equal(logprob, full[id])
    assert.equal(
      logprob,
      full.reduce((a, b) => Math.max(a, b)),
    )
    seen.push(id)
  }
})

test('the end of a prompt is read where all of it does not fit, and that is said', () => {
  const prompt = 'word '.repeat(60)
  const { promptTruncated, promptTokens } = made({ prompt })
  assert.deepEqual([promptTruncated, promptTokens], [true, 32 - 8 - 1])
  const end = tokenizer.encode(prompt).slice(-23)
  const rows = new Session(model).take([0, ...end])
  assert.equal(made({ prompt, maxNewTokens: 8 }).tokens[0]!.logprob, Math.max(...logProbabilities(rows.slice(-2048))))
  assert.equal(made({ prompt: 'word' }).promptTruncated, false)
})

test('a stop string ends the text before it, and the end of a text ends it too', () => {
  const free = made({ prompt: 'a' })
  assert.deepEqual([free.finishReason, free.tokens.length], ['length', 8])
  const stop = free.tokens[2]!.text
  const stopped = made({ prompt: 'a', stop: [stop] })
  assert.equal(stopped.finishReason, 'stop')
  assert.equal(stopped.text, free.text.slice(0, free.text.indexOf(stop)))
  // The smallest draw is the first token of all, which is the end of a text.
  const ended = made({ prompt: 'a', temperature: 1 }, () => 0)
  assert.deepEqual([ended.finishReason, ended.text, ended.tokens], ['end', '', []])
})

test('what is told while a text is made is that text, and never a part of a stop string', () => {
  const free = made({ prompt: 'a' })
  for (const stop of [
    [],
    [free.tokens[2]!.text],
    [`${free.tokens[2]!.text}${free.tokens[3]!.text}`],
    ['zz', free.text],
  ]) {
    const emitted: string[] = []
    const { text } = made({ prompt: 'a', stop }, undefined, (part) => emitted.push(part))
    assert.equal(emitted.join(''), text)
    assert.ok(stop.length > 0 || emitted.length > 1)
  }
})

function safetensors(header: object, data: Uint8Array): Uint8Array {
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, data])
}

test('numbers of sixteen bits are read exactly, subnormal ones and zeros included', () => {
  const bits = [0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff, 0x0000, 0x3555, 0x0400]
  const data = new Uint8Array(Uint16Array.from(bits).buffer)
  const file = safetensors({ a: { dtype: 'F16', shape: [2, 4], data_offsets: [0, 16] } }, data)
  assert.deepEqual(
    [...readSafetensors(file).get('a')!.values],
    [1, -2, 2 ** -24, -1023 * 2 ** -24, 65504, 0, 0.333251953125, 2 ** -14],
  )
})

test('weights whose header does not fit their bytes are refused', () => {
  const row = { dtype: 'F16', shape: [2], data_offsets: [0, 4] }
  const four = new Uint8Array(4)
  for (const bad of [
    new Uint8Array(3),
    safetensors({ a: row }, new Uint8Array(6)),
    safetensors({ a: row }, new Uint8Array(2)),
    safetensors({ a: { ...row, dtype: 'F32' } }, four),
    safetensors({ a: { ...row, shape: [3] } }, four),
    safetensors({ a: row, b: row }, four),
    safetensors({ a: row }, four).subarray(0, 12),
  ])
    assert.throws(() => readSafetensors(bad))
  assert.throws(() => toModel(CONFIG, new Map()), /no embedding of 2048 x 16/)
})
