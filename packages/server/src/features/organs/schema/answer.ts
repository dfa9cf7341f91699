/** What the jobs of the schema organ are asked and answer. */
import type { StreamName } from '../random.ts'
import type { JsonSchema } from './validator.ts'

export interface Target {
  schema?: JsonSchema
  regex?: string
  choices?: string[]
}

export interface Generate extends Target {
  n: number
  maxTokens: number
  stream: StreamName
}

export interface Output {
  text: string
  value: unknown
  valid: boolean
  tokens: number
  truncated: boolean
}

export interface Generated {
  outputs: Output[]
  firstMask: string[]
  maskDensity: number[]
  steps: number
  rejected: number
  baselineValid: number
}

/** What was asked for, or what is wrong with the request: the place below the field, in words. */
export type Answer<Result> =
  | { ok: true; result: Result }
  | { ok: false; fault: { field: string; place: (string | number)[]; message: string; type: string } }

export interface Checked {
  valid: boolean
  errors: { path: string; keyword: string; message: string }[]
  total: number
}
