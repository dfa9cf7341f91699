/** The bundled suites: requests to a live organ and what its answer must hold. Nothing here knows an answer in advance. */
import { cutText } from '@orch/core'
import { InputError, ServiceError } from '../../../errors.ts'
import type { Structured } from '../organ.ts'
import type { CaseOutcome } from './report.ts'
import list from './suites.json' with { type: 'json' }

export const SUITES = ['guard', 'retrieve', 'rails', 'sandbox', 'policy'] as const
type SuiteName = (typeof SUITES)[number]

interface SuiteCase {
  id: string
  request: Structured
  /** Where in the answer to look, names and numbers joined by dots, and which values are right there. */
  expect: { at: string; in: unknown[] }[]
}

interface Suite {
  organ: string
  cases: SuiteCase[]
}

export const suites: Readonly<Record<SuiteName, Suite>> = list

/** Runs a request through an organ of this service as if it had been posted, without a receipt of its own. Null where
 *  this build does not have the organ. */
export type RunSuiteOrgan = (id: string, request: Structured) => Promise<Record<string, unknown> | null>

/** Null where the organ is not there. */
export async function runSuiteCase(run: RunSuiteOrgan, organ: string, one: SuiteCase): Promise<CaseOutcome | null> {
  let answer: Record<string, unknown> | null
  try {
    answer = await run(organ, one.request)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return {
      id: one.id,
      asserts: [{ type: 'answer', passed: false, score: null, detail: `refused: ${error.message}` }],
    }
  }
  if (answer === null) return null
  const asserts = one.expect.map(({ at, in: right }) => {
    const found = JSON.stringify(valueAt(answer, at)) ?? 'nothing'
    const passed = right.some((value) => JSON.stringify(value) === found)
    const detail = `${at} is ${cutText(found, 120)}, must be ${right.map((value) => JSON.stringify(value)).join(' or ')}`
    return { type: at, passed, score: null, detail }
  })
  return { id: one.id, asserts }
}

/** The organ answered that it does not take the request. Whoever has no room or fails has not answered the case. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof InputError || (error instanceof ServiceError && error.status < 500)

const valueAt = (answer: unknown, at: string): unknown =>
  at.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], answer)
