/** The job that generates. The grammar engine is a vendored WebAssembly build of XGrammar: `vendor/xgrammar.cjs` is
 *  `lib/index.js` of @mlc-ai/web-xgrammar 0.1.27, unchanged; the package calls it a module, which it is not. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { RE2JS } from 're2js'
import { type Random, randomStream, type StreamName } from '../../random.ts'
import { type Answer, answering } from '../answer.ts'
import { bigrams, closingToken, decode, draw, STOP, VOCABULARY } from '../model.ts'
import { narrowSchema } from '../narrow.ts'
import type { Generated, Target } from '../organ.ts'
import { mendGrammar } from '../range.ts'
import { compileSchema, SchemaFault } from '../validator.ts'

export const ENGINE_FILE = fileURLToPath(new URL('../../../../../vendor/xgrammar.cjs', import.meta.url))
const MAX_FIRST = 32
const MAX_DENSITIES = 200
const MAX_ENGINE_BYTES = 256 * 1024 * 1024

interface Matcher {
  getNextTokenBitmask(): Promise<Int32Array>
  acceptToken(token: number): boolean
  reset(): void
  dispose(): void
}
interface Grammar {
  dispose(): void
}

const require = createRequire(import.meta.url)
const said: string[] = []

// The engine asks for as much as a grammar takes. The pool counts the heap of the thread, not this.
const grow = WebAssembly.Memory.prototype.grow
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + Number(pages) * 65_536 > MAX_ENGINE_BYTES) throw new RangeError('no more memory')
  return grow.call(this, pages)
}

let engine = await startEngine()

/** What the engine complains about is kept for the answer and not printed: it holds the schemas of callers. */
async function startEngine() {
  delete require.cache[ENGINE_FILE]
  const { TokenizerInfo, GrammarCompiler, GrammarMatcher, Testings } = require(ENGINE_FILE)
  const { error, warn } = console
  const collect = (...words: unknown[]) => void said.push(words.join(' '))
  Object.assign(console, { error: collect, warn: collect })
  try {
    const tokens = await TokenizerInfo.createTokenizerInfo([...VOCABULARY], 'byte_fallback', false, undefined, [STOP])
    const compiler = await GrammarCompiler.createGrammarCompiler(tokens, false)
    return {
      async compile({ schema, regex, choices }: Target): Promise<Grammar> {
        if (regex !== undefined)
          return compiler.compileStructuralTag({ type: 'structural_tag', format: { type: 'regex', pattern: regex } })
        if (choices !== undefined)
          return compiler.compileGrammar(`root ::= ${choices.map((choice) => JSON.stringify(choice)).join(' | ')}`)
        const narrowed = JSON.stringify(narrowSchema(schema!))
        return compiler.compileGrammar(
          mendGrammar(await Testings._jsonSchemaToEBNF(narrowed, false, -1, [',', ':'], true)),
        )
      },
      matcherOf: (grammar: Grammar): Promise<Matcher> => GrammarMatcher.createGrammarMatcher(grammar),
    }
  } finally {
    Object.assign(console, { error, warn })
  }
}

export interface Generate extends Target {
  n: number
  maxTokens: number
  stream: StreamName
}

export async function generate({ n, maxTokens, stream, ...target }: Generate): Promise<Answer<Generated>> {
  said.length = 0
  try {
    return await answering(() => generated(target, n, maxTokens, stream))
  } catch (error) {
    if ((error as Error).name !== 'RuntimeError') throw error
    // The engine gave up; what is left of it is thrown away.
    engine = await startEngine()
    const fatal = said.find((line) => line.includes('[FATAL]'))
    if (fatal === undefined) return { limit: 'memory' }
    const reason = fatal.replace(/^.*?\.cc:\d+: (?:Check failed: .*? is false: )?/s, '').slice(0, 200)
    return { fault: { place: [], message: `no grammar can be made of it: ${reason}`, type: 'unsupported_schema' } }
  }
}

async function generated(target: Target, n: number, maxTokens: number, stream: StreamName): Promise<Generated> {
  const isValid = validatorOf(target)
  const grammar = await engine.compile(target)
  const matcher = await engine.matcherOf(grammar)
  const masks: Masks = { first: [], densities: [], steps: 0, rejected: 0 }
  const outputs: Generated['outputs'] = []
  const weights = bigrams(stream.seed)
  let baseline = 0
  for (let trial = 0; trial < n; trial += 1) {
    matcher.reset()
    const { tokens, ended } = await speak(matcher, weights, maxTokens, randomStream(stream, trial), masks)
    masks.isNoted = true
    const text = decode(tokens)
    const value = valueIn(text, target)
    const valid = ended && value !== undefined && isValid(value)
    outputs.push({ text, value: value ?? null, valid, tokens: tokens.length, truncated: !ended })
    const free = valueIn(
      decode((await speak(null, weights, maxTokens, randomStream(stream, trial), masks)).tokens),
      target,
    )
    if (free !== undefined && isValid(free)) baseline += 1
  }
  matcher.dispose()
  grammar.dispose()
  return {
    outputs,
    validity: outputs.filter(({ valid }) => valid).length / n,
    first_mask: masks.first.slice(0, MAX_FIRST),
    first_mask_truncated_from: masks.first.length > MAX_FIRST ? masks.first.length : null,
    mask_density: masks.densities,
    steps: masks.steps,
    rejected_tokens: masks.rejected,
    baseline_validity: baseline / n,
  }
}

interface Masks {
  first: string[]
  densities: number[]
  steps: number
  rejected: number
  /** The first output is told in full, the others are only counted. */
  isNoted?: true
}

/** One text of the model, kept to the grammar or free. A token that the model draws and the grammar forbids is drawn
 *  again among those that are allowed, which comes to the same as masking before the draw. */
async function speak(
  matcher: Matcher | null,
  weights: ReturnType<typeof bigrams>,
  maxTokens: number,
  random: Random,
  masks: Masks,
) {
  const tokens: number[] = []
  for (let previous = STOP; tokens.length < maxTokens; ) {
    let token = draw(weights(previous), random, () => true)
    if (matcher !== null) {
      const mask = await matcher.getNextTokenBitmask()
      const isAllowed = (at: number) => ((mask[at >> 5]! >>> (at & 31)) & 1) === 1
      note(masks, isAllowed)
      if (!isAllowed(token)) {
        masks.rejected += 1
        token = draw(weights(previous), random, isAllowed)
      }
      if (tokens.length >= maxTokens / 2) token = closingToken(isAllowed) ?? token
      if (!matcher.acceptToken(token))
        throw new SchemaFault([], 'asks for a character that no token of the model spells', 'unsatisfiable_schema')
    }
    if (token === STOP) return { tokens, ended: true }
    tokens.push(token)
    previous = token
  }
  return { tokens, ended: false }
}

function note(masks: Masks, isAllowed: (token: number) => boolean): void {
  if (!masks.isNoted && masks.densities.length < MAX_DENSITIES) {
    const allowed = VOCABULARY.filter((_, at) => isAllowed(at))
    if (masks.steps === 0) masks.first = allowed
    masks.densities.push(allowed.length / VOCABULARY.length)
  }
  masks.steps += 1
}

function validatorOf({ schema, regex, choices }: Target): (value: unknown) => boolean {
  if (schema !== undefined) return compileSchema(schema)
  if (choices !== undefined) return (text) => choices.includes(text as string)
  const pattern = RE2JS.compile(regex!)
  return (text) => pattern.matches(text as string)
}

/** Undefined where the text is not JSON, or holds a number that no double holds. */
function valueIn(text: string, { schema }: Target): unknown {
  if (schema === undefined) return text
  try {
    return JSON.parse(text, (_name, value) => {
      if (value === Infinity || value === -Infinity) throw new RangeError('not finite')
      return value
    })
  } catch {
    return undefined
  }
}
