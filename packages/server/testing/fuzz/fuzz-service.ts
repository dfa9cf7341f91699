// The campaign against the real server process.
import { homedir, tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startService } from '../service.ts'
import { type Report, runCampaign } from './campaign.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** Paths of this machine, in the forms an exception would tell them. */
export const machinePaths = (data: string): RegExp[] => {
  const places = [ROOT.replace(/\/$/, ''), data, dirname(process.execPath), `${homedir()}/`, `${tmpdir()}/`]
  return [
    ...places.map((place) => new RegExp(place.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))),
    /node_modules|file:\/\/\//,
  ]
}

/** No model answers, so that governed inference has nobody to ask; and however many computations are asked for at once,
 *  so many run and wait as the machine has room for, for as long as they may. */
export const REAL_CAUSES: ReadonlySet<string> = new Set([
  'no_target',
  'compute_busy',
  'compute_timeout',
  'organ_pool_busy',
])

export const FUZZED_ENVIRONMENT = { ORCH_OUTBOUND: 'off', ORCH_M1: 'off', ORCH_RATE_PER_MINUTE: '0', ORCH_LOG: 'json' }

interface FuzzRun {
  seed: number
  requests: number
  store: string
  from?: number
  /** Two seconds unless told. */
  slowMs?: number
}

export async function fuzzService({ store, slowMs = 2000, ...run }: FuzzRun): Promise<Report> {
  const env = { ...FUZZED_ENVIRONMENT, ORCH_STORE: store, ORCH_LOG_LEVEL: 'error' }
  const service = await startService({ env })
  try {
    const port = Number(new URL(service.url).port)
    const rules = { slowMs, real: REAL_CAUSES, secrets: machinePaths(service.data) }
    const report = await runCampaign({ ...run, ...rules, port })
    if (service.child.exitCode !== null) throw new Error(`the service died:\n${service.output().slice(-4000)}`)
    return report
  } finally {
    await service.close()
  }
}
