/** A process of the service: read the settings, start, say where, stop on a signal. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BUILD_VERSION } from '@orch/core'
import { isLoopback } from './adapters/credentials.ts'
import { type App, type BuildOptions, buildApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config/config.ts'
import type { GuardState } from './ledger/contract.ts'
import { systemClock } from './platform/clock.ts'
import { onUnforeseen } from './platform/last-resort.ts'

/** Never rejects: a start that cannot be made ends the process. */
export async function serve(options: BuildOptions = {}): Promise<void> {
  // No acknowledgement rests on this thread: only the ledger's thread says that a receipt is durable. So a rejection that
  // nobody waited for, of a store that went away for one, must not take the service down with it; whoever waits for what it
  // was to answer gets a time-out. After an exception the process ends: the ledger survives it as it survives a kill.
  onUnforeseen('main', { unhandledRejection: () => undefined, uncaughtException: () => process.exit(1) })
  await start(options, launcherGone()).catch(refuseStart)
}

/** Settles when whoever started us with a channel is gone or has closed it, as the bootstrap does when npm is gone.
 *  Started without one, by a service manager or in the background, this process outlives its parents. */
function launcherGone(): Promise<void> | null {
  // Without a channel it is undefined; one that closed while the modules were loaded is null.
  if (process.channel === undefined) return null
  if (!process.connected) return Promise.resolve()
  return new Promise((resolve) => process.once('disconnect', resolve))
}

async function start(options: BuildOptions, abandoned: Promise<void> | null): Promise<void> {
  const config = readConfig()
  const app = await buildApp(config, options)
  const address = await app.http.listen({ host: config.host, port: config.port })
  announce(config, app, address)
  stopOnSignal(config, app, abandoned)
}

/** What each kind of guard can and cannot do. */
const GUARDS: Record<GuardState['kind'], string> = {
  none: 'none: the ledger is in memory',
  'data-folder':
    'in the data folder: notices a store that was rolled back alone, not a restore of the whole folder (ORCH_GUARD; docs/backup.md)',
  file: 'a file outside the data folder: notices a restore of that folder, not one that also restores the file',
  witness: 'a witness elsewhere: notices any restore of this machine',
}

/** The command line without npx, which would look the name up first; null where only the service is installed. */
function aliasLine(): string | null {
  const path = fileURLToPath(new URL('../../cli/orch.mjs', import.meta.url))
  const quoted = (text: string) => `"${text.replace(/["\\$`]/g, '\\$&')}"`
  const command = `${quoted(process.execPath)} ${quoted(path)}`.replaceAll("'", `'\\''`)
  return existsSync(path) ? `alias orch='${command}'` : null
}

/** At most twelve lines: where it runs, what it keeps, who signs, and commands to go on with. */
function announce(config: Config, app: App, address: string): void {
  const { ledger } = app.ports
  const { size, durability, guard, readOnly } = ledger.state()
  const { kind, keyid } = ledger.signer
  const key =
    kind === null ? 'none: receipts are unsigned' : `${kind} key ${keyid?.slice(0, 16)} (fingerprint at /cosign.pub)`
  const alias = aliasLine()
  const lines = [
    `orch ${BUILD_VERSION} on ${address}`,
    `data     ${config.data}`,
    `ledger   ${durability}, ${size === 0 ? 'new' : `key and ledger kept: ${size} receipts`}`,
    `guard    ${GUARDS[guard.kind]}${guard.fault === null ? '' : `; ${guard.fault}: nothing is recorded until it does`}`,
    `signer   ${kind === 'demo' ? `${key}; a demo key never counts as production` : key}`,
    `access   ${app.ports.authMode()}`,
    ...(app.generatedToken === null
      ? []
      : [`token    ${app.generatedToken} (shown once; send it as Authorization: Bearer)`]),
    `console  ${address}/console`,
    `verify   ${address}/verify`,
    `docs     ${address}/docs`,
    ...(alias === null ? [] : [`cli      ${alias}`]),
    `try      curl -s '${address}/api/orch/v1/wow/govern?envelope=1' -H 'content-type: application/json' -d '{"text":"What is the capital of France?"}'`,
  ]
  if (readOnly !== null)
    lines.push(`WARNING  the ledger is read-only: ${readOnly}; nothing is recorded until a restart`)
  for (const set of app.unusableSets)
    lines.push(`WARNING  ${set}; every decision answers 503 gates_unavailable until the files are repaired`)
  if (app.credentialFault !== null)
    lines.push(`WARNING  ${app.credentialFault}; whatever needs a credential answers 503 until it is repaired`)
  if (config.auth === 'open' && !isLoopback(config.host))
    lines.push('WARNING  ORCH_AUTH=open: everyone who reaches this address may write')
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Ctrl-C reaches the process twice, by the terminal and by the bootstrap: within this time it is one wish. */
const ONE_WISH_MS = 500

/** First signal, or no process left that would send one: finish what is in flight. Second signal: leave now; the ledger
 *  survives as after a kill. */
function stopOnSignal(config: Config, app: App, abandoned: Promise<void> | null): void {
  let stoppingSince: number | null = null
  const stop = async () => {
    stoppingSince = systemClock.monotonic()
    const overdue = setTimeout(() => app.http.server.closeAllConnections(), config.shutdownSeconds * 1000)
    try {
      await app.close()
      clearTimeout(overdue)
      process.exit(0)
    } catch (error) {
      app.log.fatal({ err: error }, 'the service could not be closed cleanly')
      process.exit(1)
    }
  }
  const onSignal = () => {
    if (stoppingSince === null) void stop()
    else if (systemClock.monotonic() - stoppingSince >= ONE_WISH_MS) process.exit(130)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal)
  void abandoned?.then(() => (stoppingSince === null ? stop() : undefined))
}

/** A start that cannot be made ends in one sentence per fault, never in a stack trace. */
function refuseStart(error: unknown): never {
  process.stderr.write(
    `${sentences(error)
      .map((line) => `orch cannot start: ${line}`)
      .join('\n')}\n`,
  )
  process.exit(1)
}

function sentences(error: unknown): string[] {
  if (error instanceof ConfigError) return error.faults
  const { code, port, syscall, message } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return [`port ${port} is taken; choose another one, for example ORCH_PORT=${nextPort(port ?? 8080)} npm start`]
  if (code === undefined) return [message ?? String(error)]
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo')
    return [`the address cannot be listened on (${code}); set ORCH_HOST and ORCH_PORT to one this user may open`]
  return [`the data folder cannot be used (${code}); set ORCH_DATA to a folder this user can write to`]
}

const nextPort = (port: number): number => (port < 65535 ? port + 1 : 8080)
