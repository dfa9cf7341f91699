// Tokens of the embedded model in a second of processor time: 64 tokens after a short prompt, the prompt included. Prints
// the number. It is what one core gives that nobody else uses.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toModel } from '../../packages/server/src/features/m1/model/forward.ts'
import { generate } from '../../packages/server/src/features/m1/model/generate.ts'
import { readSafetensors } from '../../packages/server/src/features/m1/model/safetensors.ts'
import { Tokenizer } from '../../packages/server/src/features/m1/model/tokenizer.ts'

const folder = fileURLToPath(new URL('../../packages/server/models/m1/', import.meta.url))
const read = (name: string) => JSON.parse(readFileSync(`${folder}${name}`, 'utf8'))
const model = toModel(read('config.json'), readSafetensors(readFileSync(`${folder}weights.safetensors`)))
const tokenizer = new Tokenizer(read('tokenizer.json'))
const request = { prompt: 'A receipt is', temperature: 0, topK: 0, topP: 1, topLogprobs: 0, stop: [] }
generate(model, tokenizer, { ...request, maxNewTokens: 16 }, () => 0)
const spent = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
const before = spent()
const { tokens } = generate(model, tokenizer, { ...request, maxNewTokens: 64 }, () => 0)
process.stdout.write(`${tokens.length / (spent() - before)}\n`)
