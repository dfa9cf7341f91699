/** Rules and policies that change under a running service. */
import { setTimeout as pause } from 'node:timers/promises'

/** A set on the disk and what has been made of it. */
export interface ReloadableSet {
  name: string
  /** Another word whenever what lies on the disk is other. */
  onDisk(): Promise<string>
  reload(): Promise<unknown>
  inCharge(): { digest: string | null; reload_failed: string | null }
}

type Tell = (set: string, inCharge: ReturnType<ReloadableSet['inCharge']>) => void

/**
 * Has a set read again once it has stood still for a moment. Whoever copies a set file by file is not done with the
 * first, and half a set may load: one whose forbids are still to come would open the gate.
 */
export function hotReload(set: ReloadableSet, tell: Tell, stillMs = 500): () => Promise<void> {
  let seen: string | null = null
  return async () => {
    const found = await set.onDisk()
    if (found !== seen && !(await isStable(set, found, stillMs))) return
    seen = found
    const before = set.inCharge()
    await set.reload()
    const after = set.inCharge()
    if (after.digest !== before.digest || after.reload_failed !== before.reload_failed) tell(set.name, after)
  }
}

async function isStable(set: ReloadableSet, found: string, stillMs: number): Promise<boolean> {
  await pause(stillMs, undefined, { ref: false })
  return (await set.onDisk()) === found
}
