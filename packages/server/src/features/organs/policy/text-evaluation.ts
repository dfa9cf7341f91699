/** Policies that a caller wrote, as the worker is asked about them and answers. */
import type { Decided, PolicyQuestion } from './shapes.ts'

export interface PolicyText {
  policies: string
  schema: string | null
}

export interface TextQuestions extends PolicyText {
  entities: unknown[]
  requests: PolicyQuestion[]
}

export interface TextAnswer extends Pick<Decided, 'decision' | 'determining' | 'errors'> {
  /** The engine did not get as far as the policies. */
  failed: boolean
  /** By the clock of the thread. */
  us: number
}

/** `field`: what does not parse. Without one the engine itself did not answer, which denies. */
export interface TextFault {
  field: 'policies' | 'schema' | null
  message: string
}

export type TextFound<T> = { fault: TextFault } | { value: T }
