/** The limits of a control group, as the kernel writes them. */

/** Cores that `cpu.max` allows; null where it sets no limit or is not of its form. */
export function quotaCores(text: string): number | null {
  const found = /^(\d{1,15}) (\d{1,15})\s*$/.exec(text)
  const [quota, period] = [Number(found?.[1]), Number(found?.[2])]
  return quota > 0 && period > 0 ? quota / period : null
}

/** The folders of the group and of all above it, the group first, from a line `0::/a/b` of `/proc/self/cgroup`. */
export function groupFolders(text: string): string[] {
  const path = /^0::(\/.*)$/m.exec(text)?.[1] ?? '/'
  const parts = path.split('/').filter((part) => part !== '' && part !== '..')
  return [...parts.keys(), parts.length].reverse().map((depth) => `/${parts.slice(0, depth).join('/')}`)
}

/** The tightest of several limits; null where there is none. */
export const tightest = (limits: readonly (number | null)[]): number | null => {
  const set = limits.filter((limit) => limit !== null)
  return set.length === 0 ? null : Math.min(...set)
}
