/** Policies and tools tried before a service takes them over: `lint` and `test`. Run by the command line; the result is one
 *  JSON object on stdout, a refusal one JSON line on stderr. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Type, { type Static } from 'typebox'
import { EXAMPLE_REQUESTS, governRequest } from '../../domain/policy/requests.ts'
import { TOOL_EFFECTS } from '../../domain/tools/effects.ts'
import { readJson } from '../../platform/shape.ts'
import { type CedarEngine, openCedar } from './cedar.ts'
import { PolicySetError, placeText } from './policy-files.ts'
import { registeredTool } from './policy-stage.ts'

const SHIPPED = fileURLToPath(new URL('../../../../../policies/', import.meta.url))
/** All this reads is what the caller handed over: policies, tools and cases. */
const REFUSED_INPUT = 2
const EFFECTS = ['none', 'read', 'write', 'external', 'destructive'] as const

const Case = Type.Object(
  {
    tool: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()])),
    effect: Type.Optional(Type.Enum([...EFFECTS])),
    rank: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
    tainted: Type.Optional(Type.Boolean()),
    approved: Type.Optional(Type.Boolean()),
    expect: Type.Enum(['allow', 'review', 'deny']),
  },
  { additionalProperties: false },
)
const Cases = Type.Array(Case, { minItems: 1, maxItems: 10_000 })
type Case = Static<typeof Case>

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { policies: { type: 'string' }, tools: { type: 'string' } },
})

function lint(engine: CedarEngine) {
  const { policies, policy_digest, files } = engine.status()
  return {
    policies,
    tools: engine.tools().map(({ name }) => name),
    policy_digest,
    files: files.map(({ name }) => name),
  }
}

function test(engine: CedarEngine, file: string | undefined) {
  if (file === undefined) throw new Error('name the file of cases')
  const results = readCases(file).map((one, index) => ({ index, ...tried(engine, one) }))
  const failures = results.filter(({ expect, outcome }) => expect !== outcome)
  return { passed: results.length - failures.length, failed: failures.length, failures }
}

function tried(engine: CedarEngine, { tool = null, effect = 'none', expect, ...facts }: Case) {
  const registered = registeredTool(engine, tool)
  const base = { owner: 'policy-test', namespace: 'policy-test', rank: 0, tainted: false, approved: false, ...facts }
  const { outcome, reasons, determining } = engine.authorize(governRequest({ ...base, tool, effect, registered }))
  return { tool, effect, expect, outcome, reasons, determining }
}

function readCases(file: string): Case[] {
  const found = readJson(Cases, readFileSync(file, 'utf8'), file)
  if (found.ok) return found.value
  const [{ at, message }] = found.faults
  throw new Error(`CASES ${at}: ${message}; a case is such as {"tool":"deploy","effect":"write","expect":"review"}`)
}

const place = { folder: values.policies ?? SHIPPED, tools: values.tools ?? null }
try {
  const [job, file] = positionals
  const engine = openCedar({ ...place, builtInTools: Object.keys(TOOL_EFFECTS), asked: EXAMPLE_REQUESTS })
  process.stdout.write(`${JSON.stringify({ ok: true, ...(job === 'test' ? test(engine, file) : lint(engine)) })}\n`)
} catch (error) {
  const { message } = error as Error
  const sentence = error instanceof PolicySetError ? `${message}; policies ${placeText(place)}` : message
  process.stderr.write(`${JSON.stringify({ error: sentence })}\n`)
  process.exitCode = REFUSED_INPUT
}
