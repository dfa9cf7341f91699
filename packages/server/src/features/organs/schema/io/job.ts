/** The jobs of the schema organ. The grammar engine is a vendored WebAssembly build of XGrammar: `vendor/xgrammar.cjs`
 *  is `lib/index.js` of @mlc-ai/web-xgrammar 0.1.27, unchanged; the package calls it a module, which it is not. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { RE2JS } from 're2js'
import { type Random, randomStream } from '../../random.ts'
import type { Answer, Checked, Generate, Generated, Output, Target } from '../answer.ts'
import { bigrams, closingToken, decode, draw, STOP, VOCABULARY } from '../model.ts'
import { narrowSchema, SchemaFault } from '../narrow.ts'
import { mendGrammar } from '../range.ts'
import { type Repaired, repairValue } from '../repair.ts'
import { compileSchema, type JsonSchema } from '../validator.ts'

export const ENGINE_FILE = fileURLToPath(new URL('../../../../../vendor/xgrammar.cjs', import.meta.url))
const MAX_DENSITIES = 200
const MAX_ERRORS = 100
const MAX_TEXT = 256
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
interface Compiler {
  compileGrammar(ebnf: string): Promise<Grammar>
  compileStructuralTag(tag: unknown): Promise<Grammar>
}
interface Engine {
  toGrammar(
    text: string,
    anyWhitespace: boolean,
    indent: number,
    separators: string[],
    strict: boolean,
  ): Promise<string>
  compiler: Compiler
  matcherOf(grammar: Grammar): Promise<Matcher>
}

const require = createRequire(import.meta.url)
const said: string[] = []
let engine: Promise<Engine> | null = null

// The engine asks for as much as a grammar takes. The pool counts the heap of the thread, not this.
const grow = WebAssembly.Memory.prototype.grow
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + Number(pages) * 65_536 > MAX_ENGINE_BYTES) throw new RangeError('no more memory')
  return grow.call(this, pages)
}

/** What the engine complains about is kept for the answer and not printed: it holds the schemas of callers. */
async function startEngine(): Promise<Engine> {
  const { TokenizerInfo, GrammarCompiler, GrammarMatcher, Testings } = require(ENGINE_FILE)
  const { error, warn } = console
  const collect = (...words: unknown[]) => void said.push(words.join(' '))
  Object.assign(console, { error: collect, warn: collect })
  try {
    const tokens = await TokenizerInfo.createTokenizerInfo([...VOCABULARY], 'byte_fallback', false, undefined, [STOP])
    const compiler = await GrammarCompiler.createGrammarCompiler(tokens, false)
    return {
      compiler,
      toGrammar: Testings._jsonSchemaToEBNF,
      matcherOf: (grammar) => GrammarMatcher.createGrammarMatcher(grammar),
    }
  } finally {
    Object.assign(console, { error, warn })
  }
}

export async function generate({ n, maxTokens, stream, ...target }: Generate): Promise<Answer<Generated>> {
  return answering(target.schema === undefined ? 'regex' : 'schema', async () => {
    const isValid = validatorOf(target)
    engine ??= startEngine()
    const started = await engine
    const grammar = await compileTarget(started, target)
    const matcher = await started.matcherOf(grammar)
    const result: Generated = { outputs: [], firstMask: [], maskDensity: [], steps: 0, rejected: 0, baselineValid: 0 }
    const weights = bigrams(stream.seed)
    for (let trial = 0; trial < n; trial += 1) {
      matcher.reset()
      const { tokens, ended } = await speak(matcher, weights, maxTokens, randomStream(stream, trial), result)
      result.outputs.push(toOutput(decode(tokens), tokens.length, ended, isValid, target))
      const free = decode((await speak(null, weights, maxTokens, randomStream(stream, trial), result)).tokens)
      if (toOutput(free, 0, true, isValid, target).valid) result.baselineValid += 1
    }
    matcher.dispose()
    grammar.dispose()
    return result
  })
}

type Weights = ReturnType<typeof bigrams>
const anything = () => true

/** One text of the model, kept to the grammar or free. A token that the model draws and the grammar forbids is drawn
 *  again among those that are allowed, which comes to the same as masking before the draw. */
async function speak(matcher: Matcher | null, weights: Weights, maxTokens: number, random: Random, told: Generated) {
  const tokens: number[] = []
  for (let previous = STOP; tokens.length < maxTokens; ) {
    let token = draw(weights(previous), random, anything)
    if (matcher !== null) {
      const mask = await matcher.getNextTokenBitmask()
      const isAllowed = (at: number) => ((mask[at >> 5]! >>> (at & 31)) & 1) === 1
      note(told, isAllowed)
      if (!isAllowed(token)) {
        told.rejected += 1
        token = draw(weights(previous), random, isAllowed)
      }
      if (tokens.length >= maxTokens / 2) token = closingToken(isAllowed) ?? token
      if (!matcher.acceptToken(token)) return { tokens, ended: false }
    }
    if (token === STOP) return { tokens, ended: true }
    tokens.push(token)
    previous = token
  }
  return { tokens, ended: false }
}

function note(told: Generated, isAllowed: (token: number) => boolean): void {
  if (told.outputs.length === 0 && told.maskDensity.length < MAX_DENSITIES) {
    const allowed = VOCABULARY.filter((_, at) => isAllowed(at))
    if (told.steps === 0) told.firstMask = allowed
    told.maskDensity.push(allowed.length / VOCABULARY.length)
  }
  told.steps += 1
}

async function compileTarget({ compiler, toGrammar }: Engine, { schema, regex, choices }: Target): Promise<Grammar> {
  if (schema !== undefined)
    return compiler.compileGrammar(
      mendGrammar(await toGrammar(JSON.stringify(narrowSchema(schema)), false, -1, [',', ':'], true)),
    )
  if (choices !== undefined)
    return compiler.compileGrammar(`root ::= ${choices.map((choice) => JSON.stringify(choice)).join(' | ')}`)
  return compiler.compileStructuralTag({ type: 'structural_tag', format: { type: 'regex', pattern: regex } })
}

function validatorOf({ schema, regex, choices }: Target): (value: unknown) => boolean {
  if (schema !== undefined) return compileSchema(schema)
  if (choices !== undefined) return (text) => choices.includes(text as string)
  const pattern = RE2JS.compile(regex!)
  return (text) => pattern.matches(text as string)
}

function toOutput(
  text: string,
  tokens: number,
  ended: boolean,
  isValid: (value: unknown) => boolean,
  { schema }: Target,
): Output {
  const value = schema === undefined ? text : parsed(text)
  const valid = ended && value !== undefined && isValid(value)
  return { text, value: value ?? null, valid, tokens, truncated: !ended }
}

/** Undefined where the text is not JSON, or holds a number that no double holds. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value) => {
      if (value === Infinity || value === -Infinity) throw new RangeError('not finite')
      return value
    })
  } catch {
    return undefined
  }
}

export const check = ({ schema, candidate }: { schema: JsonSchema; candidate: unknown }): Promise<Answer<Checked>> =>
  answering('schema', () => {
    const validate = compileSchema(schema)
    const valid = validate(candidate)
    const errors = (validate.errors ?? []).map(({ instancePath, keyword, message = '' }) => ({
      path: instancePath.slice(0, MAX_TEXT),
      keyword,
      message: message.slice(0, MAX_TEXT),
    }))
    return { valid, errors: errors.slice(0, MAX_ERRORS), total: errors.length }
  })

export const repair = ({ schema, candidate }: { schema: JsonSchema; candidate: unknown }): Promise<Answer<Repaired>> =>
  answering('schema', () => repairValue(schema, candidate))

/** A schema that cannot be used is the caller's fault, whoever finds it. */
async function answering<Result>(field: string, work: () => Result | Promise<Result>): Promise<Answer<Result>> {
  said.length = 0
  try {
    return { ok: true, result: await work() }
  } catch (error) {
    if (error instanceof SchemaFault)
      return { ok: false, fault: { field, place: error.place, message: error.message, type: error.type } }
    const { name, message } = error as Error
    if (name !== 'RuntimeError')
      return {
        ok: false,
        fault: {
          field,
          place: [],
          message: message.slice(0, 300),
          type: message.startsWith('error parsing regexp') ? 'unsupported_regex' : 'invalid_schema',
        },
      }
    // The engine gave up; what is left of it is thrown away.
    engine = null
    delete require.cache[ENGINE_FILE]
    const fatal = said.find((line) => line.includes('[FATAL]'))
    if (fatal === undefined) throw error
    const reason = fatal.replace(/^.*?\.cc:\d+: (?:Check failed: .*? is false: )?/s, '').slice(0, 200)
    return {
      ok: false,
      fault: { field, place: [], message: `no grammar can be made of it: ${reason}`, type: 'unsupported_schema' },
    }
  }
}
