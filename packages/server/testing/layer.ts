// The operation layer on a real socket, for tests: the whole service with a few operations added, or the layer alone
// where a test needs limits that no setting lowers. Every reply is held to the schema its operation declares.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { tokenDigest } from '../src/adapters/credentials.ts'
import { createLog } from '../src/adapters/telemetry/log.ts'
import { createMetrics, type ServiceMetrics } from '../src/adapters/telemetry/metrics.ts'
import { createTracing } from '../src/adapters/telemetry/tracing.ts'
import { type App, type BuildOptions, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { SHIPPED } from '../src/governance/open.ts'
import { openGates } from '../src/governance/workers/gate-engine.ts'
import type { Limits } from '../src/http/limits.ts'
import { createHttp } from '../src/http/server.ts'
import type { Operation } from '../src/operation.ts'
import { systemClock } from '../src/platform/clock.ts'
import { once } from '../src/platform/once.ts'
import { sharedBuildFacts } from './build-facts.ts'
import { PATIENT } from './gate-workers/patient.ts'
import { LAYER_OPERATIONS } from './layer-operations.ts'
import { freshFolder } from './private-folder.ts'

/** A test’s own context, or `after` of the test file. */
export interface Scope {
  after(clean: () => Promise<void>): void
}

interface Layer {
  port: number
  url: string
}

export interface Service extends Layer {
  app: App
  data: string
  /** Ends it before the test does; more than once is once. */
  stop(): Promise<void>
}

/** The real service with the layer’s operations beside its own; gone when the test is. */
export async function startApp(
  scope: Scope,
  env: Record<string, string> = {},
  extra: readonly Operation[] = LAYER_OPERATIONS,
  options: Omit<BuildOptions, 'extra' | 'observe'> = {},
): Promise<Service> {
  // Before anything is awaited: `after` belongs to whoever calls it, and nobody knows who goes on.
  scope.after(async () => stop())
  let stop = async (): Promise<void> => undefined
  const folder = freshFolder('layer')
  const data = join(folder, 'data')
  const schemas = schemaWatch()
  // The embedded model answers where a test wants it: loading it takes a second.
  const quiet = { ...QUIET, ORCH_LOG: 'json', ORCH_LOG_LEVEL: 'fatal', ORCH_M1: 'off' }
  const settings = { ORCH_PORT: '0', ORCH_DATA: data, ...quiet, ...env }
  const config = readConfig(settings)
  const governanceFolders = options.governanceFolders
    ? { ...PATIENT, ...options.governanceFolders }
    : { ...SHIPPED, gates: { ...(await shippedGates()) } }
  const app = await buildApp(config, {
    ...{ buildFacts: sharedBuildFacts, checkLimitMs: 10_000, calibrates: false, ...options, governanceFolders, extra },
    observe: schemas.observe,
  })
  let stopped: Promise<void> | null = null
  const end = async () => {
    app.http.server.closeAllConnections()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
    assert.deepEqual(schemas.misfits, [], 'replies that do not fit their schema')
  }
  stop = () => {
    stopped ??= end()
    return stopped
  }
  await app.http.listen({ host: config.host, port: 0 })
  return { app, data, stop, ...placeOf(app.http.server.address() as AddressInfo) }
}

/** No work of the service's own accord but what a test asks for. */
const QUIET = { ORCH_RESEARCH_WARM: 'off' }

/** One engine for all services of a test file that use the shipped rules: they decide the same, and a start of it is a
 *  third of the start of a service. */
const shippedGates = once(() => openGates({ folder: SHIPPED.rules, ...PATIENT.gatePool }))

const placeOf = ({ port }: AddressInfo): Layer => ({ port, url: `http://127.0.0.1:${port}` })

const compiledReplies = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** Bytes that are sent again and again, as the interface description is. */
const checkedBytes = new WeakSet<Uint8Array>()

function schemaWatch() {
  const misfits: string[] = []
  return {
    misfits,
    observe(op: Operation, { body, type = '' }: { body: unknown; type?: string }) {
      if (body === null || (typeof body === 'object' && Symbol.asyncIterator in body)) return
      if (body instanceof Uint8Array && (!type.startsWith('application/json') || checkedBytes.has(body))) return
      if (body instanceof Uint8Array) checkedBytes.add(body)
      const schema = compiledReplies.get(op.reply) ?? Compile(op.reply)
      compiledReplies.set(op.reply, schema)
      // What is sent is the JSON of it: properties without a value are not there.
      const sent = JSON.parse(body instanceof Uint8Array ? new TextDecoder().decode(body) : JSON.stringify(body))
      if (!schema.Check(sent)) misfits.push(`${op.id}: ${JSON.stringify([...schema.Errors(sent)].slice(0, 3))}`)
    },
  }
}

/** The layer alone with lowered limits. */
export async function startLimited(
  scope: Scope,
  limits: Partial<Limits>,
  extra: readonly Operation[] = [],
): Promise<Layer & { metrics: ServiceMetrics }> {
  const still = { eventLoopDelayP50: () => 0, eventLoopDelayP99: () => 0 }
  const metrics = createMetrics({ version: 'test', revision: 'test', node: process.versions.node }, still)
  const caps = { maxConnections: 1000, maxConnectionsPerClient: 1000 }
  const settings = { baseUrl: null, allowedHosts: null, ratePerMinute: 0, ...caps, trustProxy: 0, limits }
  const http = createHttp([...LAYER_OPERATIONS, ...extra], settings, {
    clock: systemClock,
    log: createLog({ format: 'json', level: 'fatal' }),
    metrics,
    tracing: createTracing({ endpoint: null, outbound: true, headers: null, ratio: 1, version: 'test' }),
    credentials: () => ({ mode: 'open' }),
    hashToken: tokenDigest,
    state: { draining: false },
    observe: null,
    pages: null,
  })
  scope.after(async () => {
    http.server.closeAllConnections()
    await http.close()
  })
  await http.listen({ host: '127.0.0.1', port: 0 })
  return { ...placeOf(http.server.address() as AddressInfo), metrics }
}
