/** Every setting of the service, read once, typed and frozen. This file alone reads the environment. */
import { readFileSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { baseUrlOf, type ModelTarget, modelTargets, singleTarget } from './model-targets.ts'
import type { Rule } from './value-rules.ts'
import * as r from './value-rules.ts'

interface Variable<T> {
  name: string
  fallback: string | null
  rule: Rule<T>
  secret: boolean
  owner: string
}

const owned = (owner: string) => ({
  /** Has a value even when nothing is set. */
  set: <T>(name: string, fallback: string, rule: Rule<T>) => ({ name, fallback, rule, secret: false, owner }) as const,
  /** Null unless set. */
  may: <T>(name: string, rule: Rule<T>) => ({ name, fallback: null, rule, secret: false, owner }) as const,
  /** Null unless set; never printed; also read from the file named by `<name>_FILE`. */
  secret: <T>(name: string, rule: Rule<T>) => ({ name, fallback: null, rule, secret: true, owner }) as const,
})

const server = owned('server')
const ledger = owned('ledger')
const signing = owned('signing')
const access = owned('access')
const observing = owned('observability')
const build = owned('build')
const reading = owned('readings')
const markets = owned('markets')
const deciding = owned('decisions')
const stepping = owned('stepping')
const model = owned('model')
const research = owned('research')
const commandLine = owned('command line and tests')

const path = r.text(4096)
const token = r.text(4096)

export const VARIABLES = {
  host: server.set('ORCH_HOST', '127.0.0.1', r.address),
  port: server.set('ORCH_PORT', '8080', r.integer(0, 65535)),
  baseUrl: server.may('ORCH_BASE_URL', r.origin),
  registryUrl: server.may('ORCH_REGISTRY_URL', r.origin),
  legacyAliasUrl: server.may('ORCH_LEGACY_ALIAS_URL', r.origin),
  allowedHosts: server.may('ORCH_ALLOWED_HOSTS', r.listOf(r.text(255), 64)),
  ratePerMinute: server.may('ORCH_RATE_PER_MINUTE', r.integer(0, 1_000_000)),
  maxConnections: server.set('ORCH_MAX_CONNECTIONS', '10000', r.integer(1, 1_000_000)),
  maxStreams: server.set('ORCH_MAX_STREAMS', '1024', r.integer(1, 1_000_000)),
  maxStreamsPerCaller: server.set('ORCH_MAX_STREAMS_PER_CALLER', '512', r.integer(1, 1_000_000)),
  maxConnectionsPerClient: server.set('ORCH_MAX_CONNECTIONS_PER_CLIENT', '1000', r.integer(1, 1_000_000)),
  trustProxy: server.set('ORCH_TRUST_PROXY', '0', r.integer(0, 5)),
  shutdownSeconds: server.set('ORCH_SHUTDOWN_S', '10', r.integer(1, 300)),
  data: ledger.set('ORCH_DATA', './data', path),
  sampleMode: ledger.set('ORCH_SAMPLE_MODE', '0', r.flag),
  store: ledger.set('ORCH_STORE', 'sqlite', r.oneOf('sqlite', 'postgres', 'memory')),
  postgresUrl: ledger.secret('ORCH_POSTGRES_URL', r.postgresUrl),
  requireDurable: ledger.set('ORCH_REQUIRE_DURABLE', '0', r.flag),
  minFreeBytes: ledger.set('ORCH_MIN_FREE_BYTES', '268435456', r.integer(2 ** 20, 2 ** 40)),
  logOrigin: ledger.may('ORCH_LOG_ORIGIN', r.text(255)),
  guard: ledger.may('ORCH_GUARD', r.guardPlace),
  guardKey: ledger.may('ORCH_GUARD_KEY', r.witnessKey),
  guardGraceSeconds: ledger.set('ORCH_GUARD_GRACE_S', '60', r.integer(0, 3600)),
  signer: signing.set('ORCH_SIGNER', 'demo', r.oneOf('demo', 'none', 'external')),
  signerUrl: signing.may('ORCH_SIGNER_URL', r.signerUrl),
  signerPublicKey: signing.may('ORCH_SIGNER_PUBLIC_KEY', r.p256Pem),
  lostKey: signing.may('ORCH_LOST_KEY', r.keyid),
  allowUnsigned: signing.set('ORCH_ALLOW_UNSIGNED', '0', r.flag),
  trustedKeys: signing.may('ORCH_TRUSTED_KEYS', path),
  trustedBuilders: signing.may('ORCH_TRUSTED_BUILDERS', r.listOf(r.text(2048), 64)),
  auth: access.set('ORCH_AUTH', 'auto', r.oneOf('auto', 'open', 'registry')),
  credentials: access.secret('ORCH_CREDENTIALS', path),
  log: observing.set('ORCH_LOG', 'auto', r.oneOf('auto', 'json', 'pretty')),
  logLevel: observing.set('ORCH_LOG_LEVEL', 'info', r.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace')),
  otlpEndpoint: observing.may('ORCH_OTLP_ENDPOINT', r.httpUrl),
  otlpHeaders: observing.secret('ORCH_OTLP_HEADERS', r.headerPairs),
  traceRatio: observing.set('ORCH_TRACE_RATIO', '1', r.ratio),
  gitSha: build.may('ORCH_GIT_SHA', r.commit),
  buildTime: build.may('ORCH_BUILD_TIME', r.instant),
  imageDigest: build.may('ORCH_IMAGE_DIGEST', r.imageDigest),
  deployedCommit: build.may('ORCH_DEPLOYED_COMMIT', r.commit),
  deployTime: build.may('ORCH_DEPLOY_TIME', r.instant),
  deployTarget: build.may('ORCH_DEPLOY_TARGET', r.text(128)),
  releaseTag: build.may('ORCH_RELEASE_TAG', r.releaseTag),
  doiConcept: build.may('ORCH_DOI_CONCEPT', r.doi),
  doiFormal: build.may('ORCH_DOI_FORMAL', r.doi),
  doiSoftware: build.may('ORCH_DOI_SOFTWARE', r.doi),
  repo: build.may('ORCH_REPO', r.ownerName),
  repoUrl: build.may('ORCH_REPO_URL', r.httpsUrl),
  repoToken: build.secret('ORCH_REPO_TOKEN', token),
  space: build.may('ORCH_SPACE', r.ownerName),
  spaceSha: build.may('ORCH_SPACE_SHA', r.commit),
  publicProbeUrl: reading.may('ORCH_PUBLIC_PROBE_URL', r.httpsUrl),
  readinessInterval: reading.set('ORCH_READINESS_INTERVAL_S', '240', r.integer(30, 86400)),
  evidenceProbe: reading.set('ORCH_EVIDENCE_PROBE', 'off', r.onOff),
  frontierMetadata: reading.set('ORCH_FRONTIER_METADATA', 'off', r.onOff),
  githubToken: reading.secret('ORCH_GITHUB_TOKEN', token),
  spineUrl: reading.may('ORCH_SPINE_URL', r.secureUrl),
  constellationFile: reading.may('ORCH_CONSTELLATION_FILE', path),
  spendUrl: reading.may('ORCH_SPEND_URL', r.secureUrl),
  spendToken: reading.secret('ORCH_SPEND_TOKEN', token),
  outbound: reading.set('ORCH_OUTBOUND', 'on', r.onOff),
  outboundPrivate: reading.may('ORCH_OUTBOUND_PRIVATE', r.listOf(r.text(255), 64)),
  mcpServers: reading.may('ORCH_MCP_SERVERS', r.namedUrls(8)),
  energyMeters: reading.may('ORCH_ENERGY_METERS', r.listOf(r.secureUrl, 8)),
  organN1Url: reading.may('ORCH_ORGAN_N1_URL', r.secureUrl),
  organN3Url: reading.may('ORCH_ORGAN_N3_URL', r.secureUrl),
  organN9Url: reading.may('ORCH_ORGAN_N9_URL', r.secureUrl),
  organN11Url: reading.may('ORCH_ORGAN_N11_URL', r.secureUrl),
  organN24Cdp: reading.may('ORCH_ORGAN_N24_CDP', r.secureUrl),
  rekorUrl: reading.may('ORCH_REKOR_URL', r.secureUrl),
  rekorPublicKey: reading.may('ORCH_REKOR_PUBLIC_KEY', r.p256Pem),
  secUserAgent: markets.may('ORCH_SEC_USER_AGENT', r.text(256)),
  fredApiKey: markets.secret('ORCH_FRED_API_KEY', token),
  fredKeyless: markets.set('ORCH_FRED_KEYLESS', 'on', r.onOff),
  alpacaKeyId: markets.may('ORCH_ALPACA_KEY_ID', r.text(128)),
  alpacaSecret: markets.secret('ORCH_ALPACA_SECRET', token),
  alpacaFeed: markets.set('ORCH_ALPACA_FEED', 'iex', r.oneOf('iex', 'sip', 'delayed_sip')),
  pricePublisher: markets.set('ORCH_PRICE_PUBLISHER', 'demand', r.oneOf('demand', 'always', 'off')),
  priceMaxDispersionBps: markets.set('ORCH_PRICE_MAX_DISPERSION_BPS', '50', r.integer(1, 1000)),
  pricePeerUrl: markets.may('ORCH_PRICE_PEER_URL', r.secureUrl),
  pricePeerKeys: markets.may('ORCH_PRICE_PEER_KEYS', path),
  sessionRiskBudget: deciding.set('ORCH_SESSION_RISK_BUDGET', '1000000', r.integer(1, 1_000_000_000)),
  tools: deciding.may('ORCH_TOOLS', path),
  dayRiskBudget: deciding.may('ORCH_DAY_RISK_BUDGET', r.integer(1, 1_000_000_000)),
  reviewTtlSeconds: deciding.set('ORCH_REVIEW_TTL_S', '86400', r.integer(60, 604_800)),
  reviewFourEyes: deciding.set('ORCH_REVIEW_FOUR_EYES', '0', r.flag),
  reviewWebhook: deciding.may('ORCH_REVIEW_WEBHOOK', r.secureUrl),
  webhookSecret: deciding.secret('ORCH_WEBHOOK_SECRET', r.text(4096, 16)),
  webhookFormat: deciding.set('ORCH_WEBHOOK_FORMAT', 'json', r.oneOf('json', 'slack')),
  gdwSink: stepping.set('ORCH_GDW_SINK', 'file', r.oneOf('file', 'web')),
  gdwQuotas: stepping.may('ORCH_GDW_QUOTAS', r.quotaPairs('sessions', 'steps', 'effects', 'reviews', 'bytes')),
  gdwSinkUrl: stepping.may('ORCH_GDW_SINK_URL', r.secureUrl),
  upstreamUrl: model.may('ORCH_UPSTREAM_URL', r.secureUrl),
  upstreamKey: model.secret('ORCH_UPSTREAM_KEY', token),
  upstreamModel: model.may('ORCH_UPSTREAM_MODEL', r.text(128)),
  upstreams: model.may('ORCH_UPSTREAMS', modelTargets),
  streamSeconds: model.set('ORCH_UPSTREAM_STREAM_S', '300', r.integer(1, 3600)),
  m1: model.set('ORCH_M1', 'on', r.onOff),
  researchWarm: research.set('ORCH_RESEARCH_WARM', 'on', r.onOff),
  surfaceCapacity: research.set('ORCH_SURFACE_CAPACITY', '3000', r.integer(1, 1_000_000_000)),
  surfaceWeights: research.may('ORCH_SURFACE_WEIGHTS', r.weights(64)),
  // Read by the command line and the test harness; the service only has to know that they are not typing errors.
  token: commandLine.secret('ORCH_TOKEN', token),
  progress: commandLine.set('ORCH_PROGRESS', 'auto', r.oneOf('auto', 'always', 'never')),
  chromium: commandLine.may('ORCH_CHROMIUM', path),
} as const satisfies Record<string, Variable<unknown>>

/** Sources whose origin may be replaced by `ORCH_SOURCE_<ID>_URL`. */
export const SOURCES = [
  'REPO',
  'SPACE',
  'GITHUB',
  'GAMMA',
  'CLOB',
  'KALSHI',
  'COINBASE',
  'SEC',
  'TREASURY',
  'BLS',
  'FRED',
  'FREDGRAPH',
  'ALPACA',
  'KRAKEN',
  'BITSTAMP',
  'GEMINI',
] as const
/** Roles of organ health that `ORCH_ORGAN_HEALTH_<ROLE>_URL` hands to another service. */
const HEALTH_ROLES = [
  'BRAIN',
  'CARE',
  'COMPANION',
  'DRONES',
  'IMMUNE',
  'MEMORY',
  'OPERATOR',
  'ORCHESTRATOR',
  'POLICY',
  'REASONING',
  'SENTINEL',
  'VESSELS',
] as const

/** Settings whose name holds which of several things they are for. */
interface Family {
  name: RegExp
  ids: readonly string[]
  noun: string
  rule: Rule<string>
}
const SOURCE_URLS: Family = { name: /^ORCH_SOURCE_([A-Z]+)_URL$/, ids: SOURCES, noun: 'source', rule: r.secureOrigin }
const HEALTH_URLS: Family = {
  name: /^ORCH_ORGAN_HEALTH_([A-Z]+)_URL$/,
  ids: HEALTH_ROLES,
  noun: 'role',
  rule: r.secureUrl,
}
const FAMILIES = [SOURCE_URLS, HEALTH_URLS]

type Table = typeof VARIABLES
type ValueOf<V> = V extends { rule: Rule<infer T>; fallback: infer F } ? (F extends null ? T | null : T) : never
export type Config = Readonly<{ [K in keyof Table]: ValueOf<Table[K]> }> & {
  readonly sources: Readonly<Record<string, string>>
  /** Addresses by role. */
  readonly organHealth: Readonly<Record<string, string>>
  /** The targets of ORCH_UPSTREAMS, or the one of its short form. */
  readonly targets: readonly ModelTarget[]
  /** Keys by target; one that is named and not set is not here. Never shown. */
  readonly targetKeys: Readonly<Record<string, string>>
  /** Where each value came from: `default`, `env` or `file`. */
  readonly origins: Readonly<Record<string, 'default' | 'env' | 'file'>>
}

export class ConfigError extends Error {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

type Environment = Readonly<Record<string, string | undefined>>
const NAMES = new Map<string, Variable<unknown>>(Object.values(VARIABLES).map((variable) => [variable.name, variable]))

/** For the git we start: without GIT_DIR and its kin, by which it would answer for another repository than ours. */
export const gitEnvironment = (environment: Environment = process.env): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.toUpperCase().startsWith('GIT_')))

/** The whole configuration, or every fault in it at once. A fault names the variable and the rule, never the value. */
export function readConfig(environment: Environment = process.env): Config {
  const faults = unknownNames(environment)
  const values: Record<string, unknown> = {}
  const origins: Record<string, 'default' | 'env' | 'file'> = {}
  for (const [key, variable] of Object.entries(VARIABLES)) {
    try {
      const raw = rawValue(variable, environment)
      origins[variable.name] = raw.origin
      values[key] = raw.text === null ? null : variable.rule.read(raw.text)
    } catch (error) {
      faults.push(`${setName(variable, environment)} ${(error as Error).message}`)
    }
  }
  const sources = readFamily(SOURCE_URLS, environment, faults)
  const organHealth = readFamily(HEALTH_URLS, environment, faults)
  if (faults.length === 0) faults.push(...contradictions({ ...values, organHealth } as unknown as Config))
  if (faults.length > 0) throw new ConfigError(faults)
  const models = readModels(values as unknown as Config, environment)
  return Object.freeze({
    ...values,
    sources,
    organHealth,
    ...models,
    origins: Object.freeze(origins),
  }) as unknown as Config
}

/** The name it is set under. Hosting platforms hand the port over in a plain PORT. */
const setName = ({ name }: Variable<unknown>, { ORCH_PORT, PORT }: Environment): string =>
  name === 'ORCH_PORT' && ORCH_PORT === undefined && PORT !== undefined ? 'PORT' : name

function rawValue(
  variable: Variable<unknown>,
  environment: Environment,
): { text: string | null; origin: 'default' | 'env' | 'file' } {
  const direct = environment[setName(variable, environment)]
  const file = variable.secret ? environment[`${variable.name}_FILE`] : undefined
  if (direct !== undefined && file !== undefined) throw new Error(`and ${variable.name}_FILE are both set; keep one`)
  if (file !== undefined) return { text: readSecret(file), origin: 'file' }
  if (direct !== undefined) return { text: direct, origin: 'env' }
  return { text: variable.fallback, origin: 'default' }
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Error(
      `cannot be read from the file named by its _FILE variable (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

function unknownNames(environment: Environment): string[] {
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith('ORCH_') && !NAMES.has(name) && !FAMILIES.some((family) => family.name.test(name)),
    )
    .filter((name) => !(name.endsWith('_FILE') && NAMES.get(name.slice(0, -5))?.secret))
    .map((name) => `${name} is not a setting of this service; remove it or correct its spelling`)
}

function readFamily(family: Family, environment: Environment, faults: string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    const id = family.name.exec(name)?.[1]
    if (id === undefined || value === undefined) continue
    if (!family.ids.includes(id))
      faults.push(`${name} names no known ${family.noun}; the ${family.noun}s are ${family.ids.join(', ')}`)
    else
      try {
        found[id] = family.rule.read(value)
      } catch (error) {
        faults.push(`${name} ${(error as Error).message}`)
      }
  }
  return Object.freeze(found)
}

function readModels(config: Config, environment: Environment): Pick<Config, 'targets' | 'targetKeys'> {
  const { upstreamUrl: url, upstreamKey, upstreamModel } = config
  if (url !== null) {
    const target = singleTarget(url, upstreamModel, upstreamKey === null ? null : 'ORCH_UPSTREAM_KEY')
    return { targets: [target], targetKeys: upstreamKey === null ? {} : { [target.id]: upstreamKey } }
  }
  const targets = config.upstreams ?? []
  const keys = targets.flatMap(({ id, keyVariable }) => {
    const key = keyVariable === null ? undefined : environment[keyVariable]
    // A key that cannot be a header is as good as none, and must not make every call throw.
    return key !== undefined && /^[\x21-\x7e]{1,4096}$/.test(key) ? [[id, key] as const] : []
  })
  return { targets, targetKeys: Object.fromEntries(keys) }
}

function contradictions(config: Config): string[] {
  const faults: string[] = []
  const need = (holds: boolean, sentence: string) => {
    if (!holds) faults.push(sentence)
  }
  need(config.store !== 'postgres' || config.postgresUrl !== null, 'ORCH_STORE=postgres needs ORCH_POSTGRES_URL')
  need(
    config.store === 'postgres' || config.postgresUrl === null,
    'ORCH_POSTGRES_URL is set but ORCH_STORE is not postgres',
  )
  faults.push(...guardContradictions(config))
  for (const [role, url] of Object.entries(config.organHealth))
    need(new URL(url).origin !== config.baseUrl, `ORCH_ORGAN_HEALTH_${role}_URL is the address of this service itself`)
  need(
    config.signer !== 'external' || (config.signerUrl !== null && config.signerPublicKey !== null),
    'ORCH_SIGNER=external needs ORCH_SIGNER_URL and ORCH_SIGNER_PUBLIC_KEY',
  )
  need(
    config.signer === 'external' || config.signerUrl === null,
    'ORCH_SIGNER_URL is set but ORCH_SIGNER is not external',
  )
  need(config.auth !== 'registry' || config.credentials !== null, 'ORCH_AUTH=registry needs ORCH_CREDENTIALS')
  need(config.auth !== 'open' || config.credentials === null, 'ORCH_AUTH=open contradicts ORCH_CREDENTIALS; unset one')
  need(
    config.registryUrl === null || config.registryUrl !== config.baseUrl,
    'ORCH_REGISTRY_URL must differ from ORCH_BASE_URL',
  )
  need(
    (config.pricePeerUrl === null) === (config.pricePeerKeys === null),
    'ORCH_PRICE_PEER_URL and ORCH_PRICE_PEER_KEYS go together',
  )
  need(
    config.webhookSecret === null || config.reviewWebhook !== null,
    'ORCH_WEBHOOK_SECRET is set but ORCH_REVIEW_WEBHOOK is not',
  )
  need(
    (config.rekorUrl === null) === (config.rekorPublicKey === null),
    'ORCH_REKOR_URL and ORCH_REKOR_PUBLIC_KEY go together: a log without a pinned key proves nothing',
  )
  need(
    (config.gdwSink === 'web') === (config.gdwSinkUrl !== null),
    'ORCH_GDW_SINK=web and ORCH_GDW_SINK_URL go together',
  )
  need(config.gdwSink !== 'web' || config.outbound, 'ORCH_GDW_SINK=web contradicts ORCH_OUTBOUND=off; unset one')
  need(
    config.upstreams === null || config.upstreamUrl === null,
    'ORCH_UPSTREAM_URL is the short form of one ORCH_UPSTREAMS entry; unset one of them',
  )
  need(config.upstreamUrl === null || baseUrlOf(config.upstreamUrl) !== null, 'ORCH_UPSTREAM_URL must have no query')
  const dois = [config.doiConcept, config.doiFormal, config.doiSoftware].filter((value) => value !== null)
  need(new Set(dois).size === dois.length, 'ORCH_DOI_CONCEPT, ORCH_DOI_FORMAL and ORCH_DOI_SOFTWARE must all differ')
  if (config.credentials !== null)
    need(isPrivateFile(config.credentials), 'ORCH_CREDENTIALS must name a readable file with mode 0600')
  return faults
}

function guardContradictions({ guard, guardKey, store, data }: Config): string[] {
  const isUrl = guard !== null && /^https?:/i.test(guard)
  const inside = guard === null || isUrl ? '' : relative(resolve(data), resolve(guard))
  const rules: [boolean, string][] = [
    [guard !== null && store === 'memory', 'ORCH_GUARD is set but ORCH_STORE=memory keeps nothing that it could guard'],
    [guardKey !== null && !isUrl, 'ORCH_GUARD_KEY is the key of a witness: it needs the URL of one in ORCH_GUARD'],
    [
      guard !== null && !isUrl && inside !== '..' && !inside.startsWith(`..${sep}`),
      'ORCH_GUARD must lie outside ORCH_DATA: a restore of that folder would take it along',
    ],
  ]
  return rules.filter(([applies]) => applies).map(([, sentence]) => sentence)
}

function isPrivateFile(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true && (process.platform === 'win32' || (found.mode & 0o077) === 0)
}
