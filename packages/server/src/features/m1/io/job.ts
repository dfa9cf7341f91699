/** What runs in the model's thread: the model is loaded once for its digests and kept while the thread lives. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sfc32 } from '../../../domain/sfc32.ts'
import type { JobContext } from '../../../platform/compute/job.ts'
import type { M1Request } from '../contract.ts'
import type { ModelDigests } from '../gate.ts'
import { type Model, type ModelConfig, Session, toModel } from '../model/forward.ts'
import { type Generation, generate, roomFor, scoreText } from '../model/generate.ts'
import { readSafetensors } from '../model/safetensors.ts'
import { Tokenizer, type TokenizerFile } from '../model/tokenizer.ts'

interface Loaded {
  key: string
  model: Model
  tokenizer: Tokenizer
}

export interface Place {
  folder: string
  digests: ModelDigests
}

const SAMPLER = 'orch.m1-sampling/v1'
let loaded: Loaded | null = null

/** Files may change between a look at them and this: what was read is what is hashed. */
function load({ folder, digests }: Place): Loaded {
  const key = [folder, digests.weights, digests.tokenizer, digests.config].join(' ')
  if (loaded?.key === key) return loaded
  loaded = null
  const read = (name: string, expected: string): Buffer => {
    const bytes = readFileSync(join(folder, name))
    if (sha256(bytes) !== expected) throw new Error(`${name} changed while it was read`)
    return bytes
  }
  const config: ModelConfig = JSON.parse(read('config.json', digests.config).toString('utf8'))
  const tokenizer: TokenizerFile = JSON.parse(read('tokenizer.json', digests.tokenizer).toString('utf8'))
  const model = toModel(config, readSafetensors(read('weights.safetensors', digests.weights)))
  loaded = { key, model, tokenizer: new Tokenizer(tokenizer) }
  return loaded
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

export function loadModel(place: Place): null {
  load(place)
  return null
}

/** The digest of the logits after the prompt, at four places: what a pass on any machine must repeat. */
export function reloadModel({ place, prompt }: { place: Place; prompt: string }): string {
  const { model, tokenizer } = load(place)
  const logits = new Session(model).take([0, ...tokenizer.encode(prompt)], { lastOnly: true })
  return sha256(Array.from(logits, (logit) => logit.toFixed(4)).join('\n'))
}

export interface Run {
  place: Place
  request: M1Request
  /** The beginning of the prompt may go unread where it does not fit. */
  mayCut: boolean
}

/** Null where the prompt does not fit. The draws belong to the seed and to the prompt: another prompt has others. */
export function runModel({ place, request, mayCut }: Run, { part }: Pick<JobContext, 'part'>): Generation | null {
  const { model, tokenizer } = load(place)
  const { seed, prompt, maxNewTokens } = request
  if (!mayCut && tokenizer.encode(prompt).length > roomFor(model, maxNewTokens)) return null
  const { uniform } = sfc32(SAMPLER, { seed, prompt_sha256: sha256(prompt) })
  return generate(model, tokenizer, request, uniform, part)
}

/** Bits and bytes of each text. */
export function scoreTexts({ place, texts }: { place: Place; texts: readonly string[] }) {
  const { model, tokenizer } = load(place)
  return texts.map((text) => scoreText(model, tokenizer, text))
}
