/** Policies that a caller wrote, as the worker is asked about them and answers. */
import type { PolicyQuestion } from './authorize.ts'

export interface PolicyText {
  policies: string
  schema: string | null
}

export interface TextAnswer {
  decision: 'allow' | 'deny'
  determining: string[]
  errors: string[]
  /** The engine did not get as far as the policies. */
  failed: boolean
  /** By the clock of the thread. */
  us: number
}

export interface PolicyProblem {
  policy: string
  severity: 'error' | 'warning'
  message: string
  /** In bytes of the text. */
  start: number | null
  end: number | null
}

/** `field`: what does not parse. Without one the engine itself did not answer, which denies. */
export interface TextFault {
  field: 'policies' | 'schema' | null
  message: string
}

export type TextFound<T> = { fault: TextFault } | { value: T }

export interface TextQuestions extends PolicyText {
  entities: unknown[]
  requests: PolicyQuestion[]
}
