/** Asks the driver's own tool for graphics processors. */
import { execFile } from 'node:child_process'
import { GPU_FIELDS, parseGpus } from '../gpu-text.ts'
import type { Found } from '../probe.ts'

const LIMIT_MS = 1_000
const MAX_BYTES = 64 * 1024
const TOOL = 'nvidia-smi'
/** Where the driver puts its tool. The settings of this service, keys among them, are none of its business. */
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/nvidia/bin',
  LC_ALL: 'C',
}

export function lookAtGpus(signal: AbortSignal, tool: string = TOOL): Promise<Found> {
  const args = [`--query-gpu=${GPU_FIELDS.join(',')}`, '--format=csv,noheader,nounits']
  return new Promise((resolve) => {
    const options = {
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_BYTES,
      signal,
      env: ENVIRONMENT,
    } as const
    execFile(tool, args, options, (error, stdout) => resolve(error === null ? found(stdout) : missing(error)))
  })
}

function found(stdout: string): Found {
  const gpus = parseGpus(stdout)
  if (gpus === null) return unreachable('nvidia-smi answered in a form that is not known here')
  if (gpus.length === 0) return { tier: 'NOT-CONFIGURED', facts: { count: 0 }, reason: 'nvidia-smi lists no processor' }
  return { tier: 'LIVE-SOVEREIGN', facts: { count: gpus.length, gpus } }
}

/** What the tool printed stays inside. */
function missing(error: Error & { code?: unknown; killed?: boolean }): Found {
  if (error.code === 'ENOENT' || error.code === 'EACCES')
    return { tier: 'NOT-CONFIGURED', facts: {}, reason: 'nvidia-smi is not installed on this machine' }
  return unreachable(error.killed ? `nvidia-smi did not answer within ${LIMIT_MS} ms` : 'nvidia-smi failed')
}

const unreachable = (reason: string): Found => ({ tier: 'WIRED-UNREACHABLE', facts: {}, reason })
