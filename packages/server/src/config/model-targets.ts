/** Model targets as the operator writes them. Pure: the environment comes in as an argument. */
import { JsonError, parseStrictJson } from '@orch/core'
import type { TargetSettings } from '../adapters/models/target.ts'
import { isLoopbackHost } from '../adapters/outbound/addresses.ts'
import { type Rule, secureUrl } from './value-rules.ts'

type DeclaredTraits = NonNullable<TargetSettings['declared']>

export interface ModelTarget {
  id: string
  baseUrl: string
  /** Null: what a caller asks for is passed on. */
  model: string | null
  zone: 'local' | 'external'
  tier: number
  contextTokens: number
  timeoutMs: number
  /** Name of the variable that holds the key; null where the target needs none. */
  keyVariable: string | null
  declared?: DeclaredTraits
}

const MAX_TARGETS = 16
const DEFAULTS = { tier: 3, context_tokens: 8_192, timeout_ms: 30_000, api_key_env: null }
const TRAITS = ['quality', 'cost', 'latency', 'latency_ms', 'json']
const FIELDS = ['id', 'base_url', 'model', 'api_key_env', 'zone', 'tier', 'context_tokens', 'timeout_ms', ...TRAITS]

const TEXT = `a JSON list of at most ${MAX_TARGETS} targets {id, base_url, model, zone (local or external), api_key_env, tier 1 to 5, context_tokens, timeout_ms, quality, cost, latency, latency_ms, json}, the last nine optional, quality, cost and latency from 0 to 1 and all or none, each id once and not m1 or echo`

export const modelTargets: Rule<ModelTarget[]> = {
  text: TEXT,
  read(value) {
    const targets = readTargets(value)
    if (targets === undefined) throw new Error(`must be ${TEXT}`)
    return targets
  },
}

/** Undefined where any entry breaks a rule: a typing error never half-works. */
function readTargets(text: string): ModelTarget[] | undefined {
  const list = parsed(text)
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_TARGETS) return undefined
  const targets = list.map(readTarget)
  const ids = new Set(targets.map((target) => target?.id))
  return ids.size === targets.length && targets.every((target) => target !== null) ? targets : undefined
}

function readTarget(value: unknown): ModelTarget | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  if (Object.keys(value).some((key) => !FIELDS.includes(key))) return null
  const { id, base_url, model, zone, tier, context_tokens, timeout_ms, api_key_env } = { ...DEFAULTS, ...value } as {
    [name: string]: unknown
  }
  const baseUrl = typeof base_url === 'string' ? readBaseUrl(base_url) : null
  const declared = readTraits(value as { [name: string]: unknown })
  const fits =
    baseUrl !== null &&
    isText(id, /^[a-z0-9][a-z0-9._-]{0,63}$/) &&
    id !== 'm1' &&
    id !== 'echo' &&
    declared !== null &&
    isText(model, /^[^\p{Cc}]{1,128}$/u) &&
    (zone === 'local' || zone === 'external') &&
    isWhole(tier, 1, 5) &&
    isWhole(context_tokens, 256, 10_000_000) &&
    isWhole(timeout_ms, 100, 600_000) &&
    (api_key_env === null || isText(api_key_env, /^(?!ORCH_)[A-Z_][A-Z0-9_]{0,127}$/))
  if (!fits) return null
  return {
    id,
    baseUrl,
    model,
    zone,
    tier,
    contextTokens: context_tokens,
    timeoutMs: timeout_ms,
    keyVariable: api_key_env,
    ...(declared === undefined ? {} : { declared }),
  }
}

/** Undefined where nothing is stated, null where a statement breaks its rule. */
function readTraits({
  quality,
  cost,
  latency,
  latency_ms,
  json,
}: {
  [name: string]: unknown
}): DeclaredTraits | undefined | null {
  const scores = [quality, cost, latency]
  const isScored = scores.every((score) => isShare(score))
  const fits =
    (isScored || scores.every((score) => score === undefined)) &&
    (latency_ms === undefined || isWhole(latency_ms, 0, 600_000)) &&
    (json === undefined || typeof json === 'boolean')
  if (!fits) return null
  const traits = {
    ...(isScored ? { scores: { quality, cost, latency } as NonNullable<DeclaredTraits['scores']> } : {}),
    ...(latency_ms === undefined ? {} : { latencyMs: latency_ms as number }),
    ...(json === undefined ? {} : { json: json as boolean }),
  }
  return Object.keys(traits).length === 0 ? undefined : traits
}

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1

const isText = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value)
const isWhole = (value: unknown, min: number, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max

function parsed(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function readBaseUrl(text: string): string | null {
  try {
    return baseUrlOf(secureUrl.read(text))
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

/** A bare origin means the usual place of this interface; a query has no place in a base. */
export function baseUrlOf(url: string): string | null {
  const { origin, pathname, search } = new URL(url)
  if (search !== '') return null
  return pathname === '/' ? `${origin}/v1` : `${origin}${pathname.replace(/\/+$/, '')}`
}

/** The short form of one target. What does not stay on this machine is external. */
export function singleTarget(url: string, model: string | null, keyVariable: string | null): ModelTarget {
  const zone = isLoopbackHost(new URL(url)) ? 'local' : 'external'
  const baseUrl = baseUrlOf(url) ?? url
  return { id: 'upstream', baseUrl, model, zone, tier: 3, contextTokens: 128_000, timeoutMs: 50_000, keyVariable }
}
