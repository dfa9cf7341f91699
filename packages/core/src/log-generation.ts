// A log that accepted a restore is another log from there on: sizes it signed before must never be signed again under one
// name. It keeps its key, and its origin says which generation it is.

const RESTORED = /^(.+)\/restored-([1-9][0-9]{0,5})$/

export type LogGeneration = { base: string; generation: number }

/** A log that was never restored is of generation 0. */
export function generationOf(origin: string): LogGeneration {
  const match = RESTORED.exec(origin)
  return match === null ? { base: origin, generation: 0 } : { base: match[1]!, generation: Number(match[2]) }
}

export const originOf = ({ base, generation }: LogGeneration): string =>
  generation === 0 ? base : `${base}/restored-${generation}`

export function nextOrigin(origin: string): string {
  const { base, generation } = generationOf(origin)
  return originOf({ base, generation: generation + 1 })
}
