/** Sets of files that change under a running service. A set that cannot be used leaves the last good one active. */
import { setTimeout as pause } from 'node:timers/promises'

/** The active set, and why the newest files are not it. */
export class LastGood<T> {
  #active: T | null = null
  #fault: string | null = null
  #judged: string | null = null

  /** Null before any set could be used. */
  get active(): T | null {
    return this.#active
  }

  /** Null when the newest files are active. */
  get fault(): string | null {
    return this.#fault
  }

  /** Whether the files of this version were accepted or refused before. */
  isJudged(version: string): boolean {
    return version === this.#judged
  }

  accept(version: string, set: T): void {
    this.#active = set
    this.#fault = null
    this.#judged = version
  }

  /** Without a version the same files are tried again at the next reload. */
  refuse(fault: string, version = this.#judged): void {
    this.#fault = fault
    this.#judged = version
  }
}

/** A set on the disk and what has been made of it. */
export interface ReloadableSet {
  name: string
  /** Where its files lie, in words for the operator alone. */
  where: string
  /** Returns another word whenever the files differ. */
  onDisk(): Promise<string>
  reload(): Promise<unknown>
  active(): { digest: string | null; reload_failed: string | null }
}

type Report = (set: ReloadableSet, active: ReturnType<ReloadableSet['active']>) => void

/**
 * Reloads a set once its files have not changed for a moment. Whoever copies a set file by file is not done with the
 * first, and half a set may load: one whose forbids are still to come would open the gate.
 */
export function hotReload(set: ReloadableSet, report: Report, stableMs = 500): () => Promise<void> {
  let seen: string | null = null
  return async () => {
    const found = await set.onDisk()
    if (found !== seen && !(await isStable(set, found, stableMs))) return
    seen = found
    const before = set.active()
    await set.reload()
    const after = set.active()
    if (after.digest !== before.digest || after.reload_failed !== before.reload_failed) report(set, after)
  }
}

async function isStable(set: ReloadableSet, found: string, stableMs: number): Promise<boolean> {
  await pause(stableMs, undefined, { ref: false })
  return (await set.onDisk()) === found
}
