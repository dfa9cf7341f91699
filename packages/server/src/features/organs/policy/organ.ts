/** N25 Policy: whether an agent may use a tool on a thing, decided by Cedar over the active set or over policies that the
 *  caller brings. Default deny, and a forbid wins. */
import { setImmediate } from 'node:timers/promises'
import { sha256Hex } from '@orch/core'
import type { Static } from 'typebox'
import { InputError } from '../../../errors.ts'
import type { Policies } from '../../../governance/contract.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { authorizeKnown, toolQuestion, withToolFacts } from '../authorize.ts'
import { type Organ, op, type RequestFault, type RunContext, type Structured } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import example from './example.json' with { type: 'json' }
import * as shapes from './shapes.ts'
import type { PolicyText, TextAnswer, TextFault, TextFound, TextQuestions } from './text-evaluation.ts'

type Answer = Pick<TextAnswer, 'decision' | 'determining' | 'errors'> & { reviewable?: boolean }
type PolicySet = Pick<Static<typeof shapes.BatchResult>, 'policy_sha256' | 'source'>
interface Answered {
  answers: Answer[]
  set: PolicySet
  /** Why another machine might answer otherwise. */
  volatile?: string
}

const STATED: Limit = {
  code: 'CALLER_FACTS',
  detail:
    'context and entities are as the caller states them; what a tool is registered as comes from the server, and an approval cannot be stated here',
}
const ERRED: Limit = {
  code: 'POLICY_ERRORS',
  detail: 'a policy erred; Cedar leaves it out of the decision, and what is decided without it is not approved here',
}
const UNTYPED: Limit = { code: 'NO_SCHEMA', detail: 'without a schema only the syntax was checked' }
const TRAPPED = 'the engine ran out of its stack or memory'
const ONE_OF_SEVERAL = 'where several things are wrong with a request, the engine names one of them'
/** The engine closes over the hierarchy in every call: about 4 ms with 50 entities in a chain, 20 with 100 and 95 with
 *  200, measured on a busy core. What is longer or has more branches is for a worker. */
const MAX_CHILDREN_INLINE = 50
const MAX_PARENTS_INLINE = 200
const MIXED = 'inline over the active set, worker over policies of the request'
const limits = { deadlineMs: 1000, maxWork: 100_000 }

export const policy = ({ policies, compute }: { policies: Policies; compute: Pick<Compute, 'register'> }): Organ => {
  const register = <Params, Value>(name: string) =>
    compute.register<Params, TextFound<Value>>({
      name: `organ-n25-${name}`,
      module: new URL('./io/evaluate.ts', import.meta.url),
      function: name,
      deadlineMs: limits.deadlineMs,
    })
  const evaluateJob = register<TextQuestions, TextAnswer[]>('evaluate')
  const validateJob = register<PolicyText, shapes.PolicyProblem[]>('validate')

  /** Every policy ends with a semicolon: a bound that needs no parser. */
  const work = ({ length }: readonly unknown[], text: string | undefined): number =>
    length * Math.max(1, text === undefined ? policies.status().policies : text.split(';').length - 1)

  const active = () => ({ policy_sha256: policies.status().policy_digest ?? '0'.repeat(64), source: 'active' as const })

  async function askActive({ requests, entities = [] }: shapes.Asked, context: RunContext): Promise<Answered> {
    const known = withToolFacts(policies, requests, entities)
    const answers: Answer[] = []
    const samples: number[] = []
    const set = active()
    for (const question of known.questions) {
      const begun = context.micros()
      const { outcome, policy_sha256, ...answer } = authorizeKnown(policies, question, known.entities)
      samples.push(context.micros() - begun)
      set.policy_sha256 = policy_sha256
      answers.push({ ...answer, reviewable: outcome === 'review' })
      // A long batch gives way to whoever else waits, and ends where nobody waits for it any more.
      if (requests.length > 1) await setImmediate()
      context.signal.throwIfAborted()
    }
    readCalls(context, samples, 'process.hrtime.bigint')
    const erred = answers.some(({ errors }) => errors.length > 0)
    return { answers, set, ...(erred ? { volatile: ONE_OF_SEVERAL } : {}) }
  }

  async function askText(
    asked: Partial<TextQuestions> & Pick<TextQuestions, 'requests'>,
    context: RunContext,
    field = 'policies',
  ): Promise<Answered> {
    const { policies: text = '', requests, entities = [], schema = null } = asked
    const found = await context.job(evaluateJob, { policies: text, schema, entities, requests })
    const set = { policy_sha256: sha256Hex(text), source: 'request' as const }
    if ('fault' in found) {
      const errors = [engineSentence(found.fault, field)]
      const denied: Answer = { decision: 'deny', determining: [], errors }
      return { set, answers: requests.map(() => denied), volatile: TRAPPED }
    }
    const samples = found.value.map(({ us }) => us)
    readCalls(context, samples, 'process.hrtime.bigint of the worker')
    const failed = found.value.some((answer) => answer.failed)
    return { set, answers: found.value, ...(failed ? { volatile: ONE_OF_SEVERAL } : {}) }
  }

  const ask = (asked: shapes.Asked, context: RunContext): Promise<Answered> =>
    asked.policies === undefined ? askActive(asked, context) : askText(asked, context)

  /** The active set as text, with the server's facts, so that both sides of a comparison are decided in one way. */
  function activeAsText({ requests, entities = [], schema }: shapes.Asked) {
    const files = policies.texts()
    const textsOf = (ending: string) => files.flatMap(({ name, text }) => (name.endsWith(ending) ? [text] : []))
    const known = withToolFacts(policies, requests, entities)
    const under = { policies: textsOf('.cedar').join('\n'), schema: schema ?? textsOf('.cedarschema')[0] ?? null }
    return { requests: known.questions, entities: known.entities, ...under }
  }

  return {
    id: 'N25',
    version: '1.1.0',
    ops: {
      authorize: op({
        summary: 'One decision under the active policy set or the policies of the request',
        request: shapes.AuthorizeRequest,
        result: shapes.AuthorizeResult,
        isolation: MIXED,
        ...limits,
        estimate: (asked) => work([asked], asked.policies),
        check: ({ context, ...asked }) => [...roundedIn(context, ['context']), ...factFaults(asked)],
        async run({ entities, policies: text, schema, ...question }, context) {
          const found = await ask({ requests: [question], entities, policies: text, schema } as shapes.Asked, context)
          const [answer] = found.answers as [Answer]
          const result = { ...capped(answer), reviewable: answer.reviewable ?? false, ...found.set }
          return { status: result.approved ? 'APPROVED' : 'DENIED', result, ...remarks([found], found.set) }
        },
      }),
      validate: op({
        summary: 'What strict validation finds in policies under a schema',
        request: shapes.ValidateRequest,
        result: shapes.ValidateResult,
        isolation: 'worker',
        ...limits,
        estimate: ({ policies: text }) => work([text], text),
        async run({ policies: text, schema = null }, context) {
          const found = await context.timed('validate', () => context.job(validateJob, { policies: text, schema }))
          const lost = 'fault' in found ? engineSentence(found.fault, 'policies') : null
          const all = 'value' in found ? found.value : [unplaced(lost!)]
          const result = {
            valid: all.every(({ severity }) => severity !== 'error'),
            findings: all.slice(0, shapes.MAX_FINDINGS),
            ...(all.length > shapes.MAX_FINDINGS ? { truncated_from: all.length } : {}),
            policy_sha256: sha256Hex(text),
          }
          return { result, limits: schema === null ? [UNTYPED] : [], ...(lost === null ? {} : { volatile: TRAPPED }) }
        },
      }),
      batch: op({
        summary: 'Up to 100 decisions under one set',
        request: shapes.BatchRequest,
        result: shapes.BatchResult,
        isolation: MIXED,
        ...limits,
        estimate: (asked) => work(asked.requests, asked.policies),
        check: factFaults,
        async run(asked, context) {
          const found = await ask(asked, context)
          const result = { decisions: found.answers.map(capped), counts: countsOf(found), ...found.set }
          return { result, ...remarks([found], found.set) }
        },
      }),
      diff: op({
        summary: 'The requests that other policies decide differently',
        request: shapes.DiffRequest,
        result: shapes.DiffResult,
        isolation: 'worker',
        ...limits,
        estimate: (asked) => work(asked.requests, asked.policies) + work(asked.requests, asked.policies_b),
        check: ({ requests, entities }) => factFaults({ requests, entities, policies: '' }),
        async run({ policies_b, ...asked }, context) {
          const isActive = asked.policies === undefined
          const both = isActive ? activeAsText(asked) : asked
          const before = await askText(both, context)
          const after = await askText({ ...both, policies: policies_b }, context, 'policies_b')
          const changed = after.answers.flatMap((answer, index) => {
            const [from, to] = [accessOf(before.answers[index]!), accessOf(answer)]
            const determining = answer.determining.slice(0, shapes.MAX_DETERMINING)
            return from === to ? [] : [{ index, from, to, determining }]
          })
          const [counts_a, counts_b] = [countsOf(before), countsOf(after)]
          const set = isActive ? active() : before.set
          const result = { changed, counts_a, counts_b, policy_b_sha256: after.set.policy_sha256, ...set }
          return { result, ...remarks([before, after], set) }
        },
      }),
    },
    fromPrompt,
    example,
    evidence: { engine: policies.status().engine },
  }
}

interface Facts {
  requests?: shapes.Asked['requests']
  entities?: Record<string, unknown>[]
  policies?: string
}

const factFaults = ({ requests = [], ...asked }: Facts): RequestFault[] => [
  ...requests.flatMap(({ context }, at) => roundedIn(context, ['requests', at, 'context'])),
  ...roundedIn(asked.entities, ['entities']),
  ...inlineFaults(asked),
]

/** A policy would compare a number that the caller never sent. */
function roundedIn(value: unknown, place: RequestFault['place']): RequestFault[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, part]) =>
      roundedIn(part, [...place, Array.isArray(value) ? Number(name) : name]),
    )
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return []
  return [
    { place, message: 'an integer beyond 9007199254740991 either way is not read exactly', type: 'number_inexact' },
  ]
}

function inlineFaults({ entities = [], policies }: Facts): RequestFault[] {
  if (policies !== undefined) return []
  const families = entities
    .map(({ parents }) => (Array.isArray(parents) ? parents.length : 0))
    .filter((size) => size > 0)
  const fault = (most: number, what: string) => [
    { place: ['entities'], message: `over the active set at most ${most} ${what}; bring policies for more` },
  ]
  if (families.length > MAX_CHILDREN_INLINE) return fault(MAX_CHILDREN_INLINE, 'entities may have parents')
  const all = families.reduce((sum, size) => sum + size, 0)
  return all > MAX_PARENTS_INLINE ? fault(MAX_PARENTS_INLINE, 'parents may be stated') : []
}

const unplaced = (message: string) => ({ policy: '', severity: 'error' as const, message, start: null, end: null })

/** What does not parse is the caller's to mend. */
function engineSentence({ field, message }: TextFault, name: string): string {
  if (field === null) return message
  throw new InputError([{ loc: ['body', field === 'policies' ? name : field], msg: message, type: 'cedar_syntax' }])
}

/** A policy that erred may have been the one that forbids. */
const isApproved = ({ decision, errors }: Answer): boolean => decision === 'allow' && errors.length === 0

/** What the caller gets, which is what is counted and compared. */
const accessOf = (answer: Answer): Answer['decision'] => (isApproved(answer) ? 'allow' : 'deny')

function capped({ decision, determining, errors }: Answer): shapes.Decided {
  const isWhole = determining.length <= shapes.MAX_DETERMINING && errors.length <= shapes.MAX_ERRORS
  return {
    decision,
    approved: isApproved({ decision, determining, errors }),
    determining: determining.slice(0, shapes.MAX_DETERMINING),
    errors: errors.slice(0, shapes.MAX_ERRORS),
    ...(isWhole ? {} : { truncated_from: { determining: determining.length, errors: errors.length } }),
  }
}

const countsOf = ({ answers }: Answered) => ({
  allow: answers.filter((answer) => accessOf(answer) === 'allow').length,
  deny: answers.filter((answer) => accessOf(answer) === 'deny').length,
  with_errors: answers.filter(({ errors }) => errors.length > 0).length,
})

function remarks(found: readonly Answered[], { source }: PolicySet) {
  const erred = found.some(({ answers }) => answers.some(({ errors }) => errors.length > 0))
  const volatile = found.find((one) => one.volatile !== undefined)?.volatile
  return {
    limits: [...(source === 'active' ? [STATED] : []), ...(erred ? [ERRED] : [])],
    ...(volatile === undefined ? {} : { volatile }),
  }
}

function readCalls({ reading }: RunContext, samples: readonly number[], how: string): void {
  const mean = samples.reduce((sum, us) => sum + us, 0) / samples.length
  reading('cedar_call', Math.round(mean), 'us', how)
  if (samples.length > 1) reading('cedar_call_max', Math.max(...samples), 'us', how)
}

const PROMPT = /^\s*agent:(\S{1,256})\s+(call|use|invoke)\s+tool:(\S{1,256})\s*$/i

/** `agent:alice call tool:hash`; whatever else is written is an action that nobody declared, by nobody. */
function fromPrompt(prompt: string): Structured {
  const [, agent, , tool] = PROMPT.exec(prompt) ?? []
  const unknown = { ...toolQuestion('anonymous', 'unknown'), action: { type: 'Orch::Action', id: 'unknown' } }
  return { op: 'authorize', ...(agent && tool ? toolQuestion(agent, tool) : unknown) }
}
