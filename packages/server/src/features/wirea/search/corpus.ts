/** What can be searched: everything that the service says of itself, read from where it is said. */
import { type FormulaRegistry, LABELS, type Label } from '@orch/core'
import { LIMITS as CLAIM_LIMITS } from '../../../domain/claim-limits.ts'
import { ERRORS } from '../../../errors.ts'
import type { CatalogEntry } from '../../../ports.ts'
import type { SearchDocument } from '../contract.ts'

type Documents = SearchDocument[]

/** `khipu.verifyById` is found by each of its words. */
const spelledOut = (id: string): string => id.replace(/([a-z0-9])([A-Z])/g, '$1 $2')

export const operationDocuments = (catalog: readonly CatalogEntry[]): Documents =>
  catalog.map(({ id, method, path, summary, scopes, labels }) => ({
    key: `operation:${id}`,
    kind: 'operation',
    id,
    title: summary,
    body: [`${method} ${path}`, spelledOut(id), ...labels, ...scopes].join(' '),
    url: path,
  }))

export interface ListedOrgan {
  id: string
  title: string
  job: string
  evidence_class: string
  ops: readonly string[]
}

export const organDocuments = (organs: readonly ListedOrgan[], url: string): Documents =>
  organs.map(({ id, title, job, evidence_class, ops }) => ({
    key: `organ:${id}`,
    kind: 'organ',
    id,
    title: `${title}: ${job}`,
    body: [...ops, evidence_class].join('; '),
    url: url.replace('{organ_id}', id),
  }))

export const formulaDocuments = ({ payload: { locked, conjectures } }: FormulaRegistry, url: string): Documents =>
  [...locked, ...conjectures].map(({ id, name, statement, invariant, scope_note, maturity }) => ({
    key: `formula:${id}`,
    kind: 'formula',
    id,
    title: `${id} ${name}`,
    body: `${statement}; ${invariant}; ${scope_note}; ${maturity}`,
    url,
  }))

const MEANINGS: Record<Label, string> = {
  MEASURED: 'read while this very request was served, with its source and time',
  MODELED: 'computed from inputs by an equation that the reply states',
  SIMULATED: 'made by a deterministic, seeded simulator that says what is not real',
  SAMPLE: 'a committed example or artifact with its own date',
  UNAVAILABLE: 'nothing was read, and the reply says why',
  'STRUCTURAL-ONLY': 'says how something is built, and nothing of how it does',
  LIVE: 'answered now, for this request',
  ROADMAP: 'planned and not delivered',
  'SIMULATION-ONLY': 'exists as a simulation and in no other form',
}

export const labelDocuments = (url: string): Documents =>
  LABELS.map((label) => ({
    key: `label:${label}`,
    kind: 'label',
    id: label,
    title: `Honesty label ${label}`,
    body: MEANINGS[label],
    url,
  }))

export interface Requirement {
  req_id: string
  requirement: string
  req_detail: string
  source: string
  honest_caveats: string
}

export const requirementDocuments = (requirements: readonly Requirement[], url: string): Documents =>
  requirements.map(({ req_id, requirement, req_detail, source, honest_caveats }) => ({
    key: `assurance:${req_id}`,
    kind: 'assurance',
    id: req_id,
    title: requirement,
    body: `${req_detail}; ${source}; ${honest_caveats}`,
    url,
  }))

export const errorDocuments = (url: string): Documents =>
  Object.entries(ERRORS).map(([code, { status, meaning, action }]) => ({
    key: `error:${code}`,
    kind: 'error',
    id: code,
    title: `${code.replaceAll('_', ' ')} (HTTP ${status})`,
    body: `${meaning}; ${action}`,
    url,
  }))

/** A bound that a request may meet. */
export interface ServiceLimit {
  id: string
  title: string
  value: number
}

export const limitDocuments = (limits: readonly ServiceLimit[], url: string): Documents =>
  [...limits, ...ofClaims()].map(({ id, title, value }) => ({
    key: `limit:${id}`,
    kind: 'limit',
    id,
    title,
    body: `limit ${value}`,
    url,
  }))

const ofClaims = (): ServiceLimit[] =>
  Object.entries(CLAIM_LIMITS).map(([name, value]) => ({
    id: `claim-integrity.${name}`,
    title: `claim integrity: ${name.replaceAll('_', ' ')}`,
    value,
  }))
