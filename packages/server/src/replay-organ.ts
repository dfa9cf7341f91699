/** Runs one organ again, in a service of its own that keeps nothing and reaches nobody: for `orch organ replay`. The result is
 *  one JSON object on stdout, a refusal one JSON line on stderr. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JsonValue, parseStrictJson } from '@orch/core'
import { buildApp } from './app.ts'
import { readConfig } from './config/config.ts'
import { InputError } from './errors.ts'
import { localRunner } from './features/organs/run.ts'

/** Exit codes of the command line. */
const [FAILED, REFUSED] = [1, 2]

async function replay(id: string, file: string) {
  const text = readFileSync(file)
  const body: JsonValue = text.length === 0 ? {} : parseStrictJson(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError('the input is no JSON object')
  const data = mkdtempSync(join(tmpdir(), 'orch-replay-'))
  const config = readConfig({
    ...{ ORCH_STORE: 'memory', ORCH_DATA: data, ORCH_PORT: '0', ORCH_OUTBOUND: 'off', ORCH_RESEARCH_WARM: 'off' },
    ...{ ORCH_LOG: 'json', ORCH_LOG_LEVEL: 'fatal' },
  })
  const app = await buildApp(config)
  try {
    const registered = app.ports.organs.all.get(id)
    if (registered === undefined) throw new TypeError(`there is no organ ${id}`)
    const answer = await localRunner(app.ports.organs)(id, body, new AbortController().signal)
    const { op, input_sha256 } = answer as unknown as { op: string; input_sha256: string }
    const { status, deterministic, evidence, result_sha256 } = answer
    const keepsState = 'state' in evidence || registered.organ.ops[op]?.writesState === true
    return {
      organ: id,
      op,
      version: registered.organ.version,
      status,
      deterministic,
      keeps_state: keepsState,
      input_sha256,
      result_sha256,
    }
  } finally {
    await app.close()
    rmSync(data, { recursive: true, force: true })
  }
}

const [, id = '', file = ''] = process.argv.slice(2)
try {
  process.stdout.write(`${JSON.stringify({ ok: true, ...(await replay(id, file)) })}\n`)
} catch (error) {
  const faults =
    error instanceof InputError ? error.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') : null
  const message = faults === null ? (error as Error).message : `the input does not fit this organ: ${faults}`
  process.stderr.write(`${JSON.stringify({ error: message })}\n`)
  process.exitCode = faults === null ? FAILED : REFUSED
}
