/** Reading both requests. Absence of an optional field is a finding for the rubric, never a misfit. */
import type { TSchema } from 'typebox'
import { AtomizeRequest, EvaluateRequest } from '../schemas.ts'
import { checkReferences } from './cross-record.ts'
import { readDocument } from './document.ts'
import { Problems } from './problems.ts'
import { walk } from './walk.ts'

export const readAtomizeRequest = (bytes: Uint8Array): AtomizeRequest =>
  fitted(bytes, AtomizeRequest).root as unknown as AtomizeRequest

export function readEvaluateRequest(bytes: Uint8Array): EvaluateRequest {
  const { root, keys } = fitted(bytes, EvaluateRequest)
  const request = root as unknown as EvaluateRequest
  checkReferences(request, keys)
  return request
}

function fitted(bytes: Uint8Array, schema: TSchema) {
  const document = readDocument(bytes)
  const problems = new Problems()
  walk(schema, document.root, { problems, keys: document.keys })
  problems.refuse()
  return document
}
