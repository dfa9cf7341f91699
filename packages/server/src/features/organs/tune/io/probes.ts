/** Looks for what training would need, each time anew. */
import { access } from 'node:fs/promises'
import { isoNow } from '../../../../platform/clock.ts'
import type { Clock } from '../../../../ports.ts'
import type { Probe } from '../organ.ts'

const DEVICES = ['/dev/nvidia0', '/dev/kfd', '/dev/dri/renderD128', '/dev/accel/accel0']

export async function machineProbes(clock: Clock, devices: readonly string[] = DEVICES): Promise<Probe[]> {
  const found = await Promise.all(
    devices.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  )
  return devices.map((path, at) => ({ probe: `accelerator device ${path}`, found: found[at]!, at: isoNow(clock) }))
}
