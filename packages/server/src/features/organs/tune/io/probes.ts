/** Looks for what training would need, each time anew. */
import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { JsonExchange } from '../../../../adapters/outbound/contract.ts'
import { isoNow } from '../../../../platform/clock.ts'
import type { Clock } from '../../../../ports.ts'
import type { Probe } from '../organ.ts'

const DEVICES = ['/dev/nvidia0', '/dev/kfd', '/dev/dri/renderD128', '/dev/accel/accel0']
/** Shown from the root of the repository: where that lies is nobody's business. */
const WEIGHTS = 'packages/server/models/m1/weights.safetensors'
const ROOT = fileURLToPath(new URL('../../../../../../../', import.meta.url))
const LIMITS = { status: 200, deadlineMs: 700, maxBytes: 4096 }

interface Places {
  trainer?: { url: string; exchange: JsonExchange } | null
  devices?: readonly string[]
  signal?: AbortSignal
}

export async function machineProbes(
  clock: Clock,
  { trainer = null, devices = DEVICES, signal }: Places = {},
): Promise<Probe[]> {
  const probe = async (name: string, look: Promise<boolean>): Promise<Probe> => {
    const found = await look
    return { probe: name, found, at: isoNow(clock) }
  }
  return Promise.all([
    ...devices.map((path) => probe(`accelerator device ${path}`, isThere(path))),
    trainer === null
      ? probe('trainer at ORCH_ORGAN_N11_URL, which is not set', Promise.resolve(false))
      : probe(`trainer at ${new URL(trainer.url).origin}`, answers(trainer, signal)),
    probe(`weights at ${WEIGHTS}`, isThere(`${ROOT}${WEIGHTS}`)),
  ])
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** A page, a redirect or a failure is an answer of something, not of a trainer. */
async function answers({ url, exchange }: NonNullable<Places['trainer']>, signal?: AbortSignal): Promise<boolean> {
  const { ok } = await exchange({ url, ...LIMITS }, signal)
  return ok
}
