/**
 * Policies that a caller wrote, in a thread of the compute pool. A text that is nested deeply enough overflows the stack of
 * the engine, and an instance to which that happened answers nothing ever after: so no caller's text comes near the
 * instance that governance decides with, and here a fresh one takes its place.
 */
import { createRequire } from 'node:module'
import type {
  AuthorizationAnswer,
  DetailedError,
  Entities,
  StatefulAuthorizationCall,
  ValidationError,
} from '@cedar-policy/cedar-wasm/nodejs'
import { cutText } from '@orch/core'
import type { PolicyProblem } from '../shapes.ts'
import type { PolicyText, TextAnswer, TextFault, TextFound, TextQuestions } from '../text-evaluation.ts'

type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs')

const require = createRequire(import.meta.url)
const PROGRAM = require.resolve('@cedar-policy/cedar-wasm/nodejs')
const SET = 'request'
let cedar = freshInstance()

function freshInstance(): Cedar {
  delete require.cache[PROGRAM]
  return require(PROGRAM) as Cedar
}

export const evaluate = (asked: TextQuestions): TextFound<TextAnswer[]> =>
  parsed(asked, ({ schema, entities, requests }) => {
    const typed = schema === null ? {} : { preparsedSchemaName: SET, validateRequest: true }
    return requests.map((one) => answerTo({ context: {}, ...one, ...typed, entities: entities as Entities }))
  })

/** Strict; without a schema there is nothing to check but the syntax. */
export const validate = (asked: PolicyText): TextFound<PolicyProblem[]> =>
  parsed(asked, ({ policies, schema }) => {
    if (schema === null) return []
    const settings = { mode: 'strict' } as const
    const answer = cedar.validate({ validationSettings: settings, schema, policies: { staticPolicies: policies } })
    if (answer.type === 'failure') throw new Error(answer.errors.map(toSentence).join('; '))
    return [
      ...answer.validationErrors.map((error) => toProblem('error', error)),
      ...answer.validationWarnings.map((warning) => toProblem('warning', warning)),
    ].sort((one, other) => byNumber(one.policy, other.policy) || (one.start ?? 0) - (other.start ?? 0))
  })

/** The engine throws on text it cannot take over; where it traps, its instance is lost. */
function parsed<Asked extends PolicyText, T>(asked: Asked, work: (asked: Asked) => T): TextFound<T> {
  try {
    const fault = parseFault(asked)
    return fault === null ? { value: work(asked) } : { fault }
  } catch (error) {
    cedar = freshInstance()
    const why = error instanceof Error ? error.message : 'no cause was given'
    return { fault: { field: null, message: sentence(`the engine did not answer: ${why}`) } }
  }
}

function parseFault({ policies, schema }: PolicyText): TextFault | null {
  const set = cedar.preparsePolicySet(SET, { staticPolicies: policies })
  if (set.type === 'failure') return toFault('policies', set.errors, policies)
  const typed = schema === null ? null : cedar.preparseSchema(SET, schema)
  return typed?.type === 'failure' ? toFault('schema', typed.errors, schema ?? '') : null
}

function answerTo(call: Omit<StatefulAuthorizationCall, 'preparsedPolicySetId' | 'context'> & { context: unknown }) {
  const begun = process.hrtime.bigint()
  const answer = cedar.statefulIsAuthorized({ ...call, preparsedPolicySetId: SET } as StatefulAuthorizationCall)
  return { ...toTextAnswer(answer), us: Number((process.hrtime.bigint() - begun) / 1000n) }
}

/** What the engine could not decide is a deny. Its lists come in no order of their own. */
function toTextAnswer(answer: AuthorizationAnswer): Omit<TextAnswer, 'us'> {
  if (answer.type === 'failure')
    return { decision: 'deny', determining: [], errors: answer.errors.map(toSentence), failed: true }
  const { decision, diagnostics } = answer.response
  return {
    decision: decision === 'allow' ? 'allow' : 'deny',
    determining: diagnostics.reason.toSorted(byNumber),
    errors: diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${toSentence(error)}`).sort(byNumber),
    failed: false,
  }
}

const { compare: byNumber } = new Intl.Collator('en', { numeric: true })

function toProblem(severity: PolicyProblem['severity'], { policyId, error }: ValidationError): PolicyProblem {
  const [place] = error.sourceLocations ?? []
  const [start, end] = [place?.start ?? null, place?.end ?? null]
  return { policy: policyId, severity, message: toSentence(error), start, end }
}

/** With the line and the column that the engine points at; it counts bytes. */
function toFault(field: 'policies' | 'schema', errors: readonly DetailedError[], text: string): TextFault {
  const before = Buffer.from(text)
    .subarray(0, errors[0]?.sourceLocations?.[0]?.start ?? 0)
    .toString()
    .split('\n')
  const place = `line ${before.length}, column ${[...before.at(-1)!].length + 1}`
  return { field, message: `${place}: ${errors.map(toSentence).join('; ')}` }
}

const toSentence = ({ message, help }: DetailedError): string => sentence(help ? `${message} (${help})` : message)

const MAX_SENTENCE = 300
/** Errors repeat what a caller wrote: a bounded part of it, on one line. */
const sentence = (text: string): string => cutText(text.replace(/[\p{Cc}\p{Cs}]+/gu, ' '), MAX_SENTENCE)
