/**
 * The policy engine: Cedar over a folder of policies. It throws on text it cannot take over, a lone surrogate for one, and
 * callers choose text: `failClosed` turns that into a deny. The set that decides is the one whose digest the verdict
 * carries.
 */
import { getCedarVersion, type StatefulAuthorizationCall, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import { LRUCache } from 'lru-cache'
import type { PolicyRequest } from '../../domain/policy/authorization.ts'
import { LastGood } from '../../platform/hot-reload.ts'
import type { PolicyVerdict } from '../contract.ts'
import {
  orRefusal,
  type PolicyFile,
  type PolicyPlace,
  PolicySetError,
  policyDigest,
  readPolicyFiles,
  SCHEMA_FILE,
  TOOLS_FILE,
} from './policy-files.ts'
import { actionName, liftedName, type PolicySet, preparePolicySet } from './policy-set.ts'
import { defaultDeny, toVerdict, type Verdict } from './verdict.ts'

/** Plain `{type, id}` names only: the escape forms of the engine's JSON are not for callers. */
type Name = { type: string; id: string }
type CedarRequest = Pick<StatefulAuthorizationCall, 'context' | 'entities'> & {
  principal: Name
  action: Name
  resource: Name
}

export type CedarEngine = ReturnType<typeof openCedar>

/** Joined, so that V8 holds it as one flat string: a concatenation in a reply takes JSON off its fast path. */
const ENGINE = ['cedar-wasm/', getCedarVersion()].join('')
const DEFAULT_CACHE = 1024
const MAX_CACHED_TEXT = 2048

/** Throws a PolicySetError with one sentence when the folder holds no set that may decide. */
export function openCedar(from: string | PolicyPlace, options: { cache?: number } = {}) {
  const place: PolicyPlace = typeof from === 'string' ? { folder: from } : from
  const liesHere = ({ name }: PolicyFile): boolean => name !== TOOLS_FILE || (place.tools ?? null) === null
  const prepare = (files: PolicyFile[]) => {
    const set = preparePolicySet(files, place.builtInTools)
    assertFits(set, place.asked ?? [])
    // A tools file that lies elsewhere counts for the digest and is not listed.
    const listed = set.files.filter(liesHere).map(({ name, sha256 }) => ({ name, sha256 }))
    return { ...loaded(set, options.cache ?? DEFAULT_CACHE), listed }
  }
  const sets = new LastGood<ReturnType<typeof prepare>>()
  const first = prepare(readPolicyFiles(place))
  sets.accept(first.set.digest, first)
  const current = () => sets.active!
  return {
    authorize: (request: CedarRequest): PolicyVerdict => current().authorize(request),
    /** Reads the folder again; a set that fails leaves the last good one active. `reloaded`: what lies there is. */
    reload() {
      const files = orRefusal(() => readPolicyFiles(place))
      const version = typeof files === 'string' ? files : policyDigest(files)
      if (!sets.isJudged(version)) {
        const next = typeof files === 'string' ? files : orRefusal(() => prepare(files))
        if (typeof next === 'string') sets.refuse(next, version)
        else sets.accept(version, next)
      }
      return { reloaded: sets.fault === null, policy_digest: current().set.digest, reload_failed: sets.fault }
    },
    status() {
      const { set, listed } = current()
      return {
        engine: ENGINE,
        policy_digest: set.digest,
        policies: set.policies.size,
        files: listed,
        reload_failed: sets.fault,
      }
    },
    /** Digest of what lies on the disk now; null when it cannot be read. Another one than that of the active set is stale. */
    diskDigest() {
      const files = orRefusal(() => readPolicyFiles(place))
      return typeof files === 'string' ? null : policyDigest(files)
    },
    texts: () => current().set.files.map(({ name, text }) => ({ name, text })),
    tool: (name: string) => current().set.tools.get(name) ?? null,
    tools: () => [...current().set.tools.values()],
  }
}

/** With a schema of other entities or another context each request would be an error, and so a denial. */
function assertFits(set: PolicySet, asked: readonly PolicyRequest[]): void {
  for (const request of asked) {
    if (!set.actions.has(actionName(request.action))) continue
    const [error] = decide(set, toEngineCall(set, request)).errors
    if (error === undefined) continue
    const about = `${SCHEMA_FILE} does not fit what the service asks for ${request.action.id}: ${error}`
    throw new PolicySetError(
      `${about}; take over its entities and context from the schema in policies/ of this version`,
    )
  }
}

/** Verdicts by the exact text the engine would be given. The engine reads nothing else: no clock, no store, no chance; so
 *  under one policy set the same text has the same verdict for ever. Callers choose part of the text: neither its length
 *  nor the number of texts may grow without bound. */
function verdictCache(max: number): LRUCache<string, PolicyVerdict> | null {
  const sizeCalculation = (_: PolicyVerdict, text: string) => text.length
  return max === 0 ? null : new LRUCache({ max, maxEntrySize: MAX_CACHED_TEXT, sizeCalculation })
}

function loaded(set: PolicySet, cacheSize: number) {
  const cache = verdictCache(cacheSize)
  return {
    set,
    authorize(request: CedarRequest): PolicyVerdict {
      const call = toEngineCall(set, request)
      const text = JSON.stringify(call)
      const known = cache?.get(text)
      if (known !== undefined) return known
      const verdict = frozen({ ...decide(set, call), engine: ENGINE, policy_digest: set.digest })
      if (verdict.errors.length === 0) cache?.set(text, verdict)
      return verdict
    },
  }
}

/** Field by field: a request that brings more than its five fields cannot name another set or switch validation off. */
function toEngineCall(set: PolicySet, request: CedarRequest): StatefulAuthorizationCall {
  const { principal, action, resource, context, entities } = request
  const call = { principal, action, resource, context, entities, preparsedPolicySetId: set.digest }
  const isDeclared = set.actions.has(actionName(action))
  return isDeclared ? { ...call, preparsedSchemaName: set.digest, validateRequest: true } : call
}

/**
 * An action outside the schema still runs, so that every forbid that holds is reported, but no policy was validated for
 * it: a permit that matches only because it names no action does not count.
 */
function decide(set: PolicySet, call: StatefulAuthorizationCall): Verdict {
  const verdict = toVerdict(statefulIsAuthorized(call), set.policies)
  if (verdict.outcome === 'allow' && call.preparsedSchemaName === undefined) return defaultDeny
  return verdict.outcome === 'review' ? reviewable(set, call, verdict) : verdict
}

/**
 * A review is offered only for what is permitted once it is lifted. Otherwise a forbid would turn a default deny into
 * something milder, and people would be asked to approve what is then denied.
 */
function reviewable(set: PolicySet, call: StatefulAuthorizationCall, review: Verdict): Verdict {
  const lifted = decide(set, { ...call, preparsedPolicySetId: liftedName(set.digest) })
  if (lifted.outcome === 'allow') return review
  return { ...lifted, determining: review.determining, forbids: review.forbids }
}

/** A verdict is shared by all who ask the same: none of them may change it for the others. */
function frozen(verdict: PolicyVerdict): PolicyVerdict {
  for (const list of [verdict.reasons, verdict.determining, verdict.forbids, verdict.errors]) Object.freeze(list)
  for (const forbid of verdict.forbids) Object.freeze(forbid)
  return Object.freeze(verdict)
}
