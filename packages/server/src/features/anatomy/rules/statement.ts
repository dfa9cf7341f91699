/** The rules about a statement itself: what blocks it whoever signed it. */
import { STATEMENT_TYPE } from '@orch/core'
import { isFields, isText, own } from './json-shape.ts'

export const SLSA_V1 = 'https://slsa.dev/provenance/v1'
const MAX_SUBJECTS = 1000
const SHA256 = /^[0-9a-f]{64}$/i

export interface Slsa {
  v1: boolean
  buildType: string | null
  builderId: string | null
}

export function statementFaults(statement: unknown): string[] {
  const slsa = slsaOf(statement)
  const faults: [code: string, holds: boolean][] = [
    ['STATEMENT_TYPE_INVALID', own(statement, '_type') !== STATEMENT_TYPE],
    ['SUBJECT_INVALID', !areSubjects(own(statement, 'subject'))],
    ['PREDICATE_TYPE_BLANK', !isText(own(statement, 'predicateType'))],
    ['PREDICATE_NOT_OBJECT', !isFields(own(statement, 'predicate'))],
    ['SLSA_BUILD_TYPE_MISSING', slsa.v1 && slsa.buildType === null],
    ['SLSA_BUILDER_ID_MISSING', slsa.v1 && slsa.builderId === null],
  ]
  return faults.filter(([, holds]) => holds).map(([code]) => code)
}

export function slsaOf(statement: unknown): Slsa {
  if (own(statement, 'predicateType') !== SLSA_V1) return { v1: false, buildType: null, builderId: null }
  const predicate = own(statement, 'predicate')
  return {
    v1: true,
    buildType: textOrNull(own(own(predicate, 'buildDefinition'), 'buildType')),
    builderId: textOrNull(own(own(own(predicate, 'runDetails'), 'builder'), 'id')),
  }
}

const areSubjects = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= MAX_SUBJECTS && value.every(isSubject)

function isSubject(value: unknown): boolean {
  const sha256 = own(own(value, 'digest'), 'sha256')
  return isText(own(value, 'name')) && typeof sha256 === 'string' && SHA256.test(sha256)
}

const textOrNull = (value: unknown): string | null => (isText(value) ? value : null)
