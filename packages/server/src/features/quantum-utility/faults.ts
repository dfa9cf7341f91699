/** What is wrong with an input beyond its shape. */

export interface Fault {
  /** From the input on. */
  place: (string | number)[]
  msg: string
  type: string
}

export const MAX_FAULTS = 32

export const fault = (place: (string | number)[], msg: string, type = 'value'): Fault => ({ place, msg, type })

/** Of names that must be unique, those that stand there a second time. */
export function repeated(names: readonly string[], placeOf: (at: number) => (string | number)[]): Fault[] {
  const seen = new Set<string>()
  return names.flatMap((name, at) => {
    if (seen.has(name))
      return [fault(placeOf(at), `${JSON.stringify(name)} stands here twice; names are unique`, 'duplicate')]
    seen.add(name)
    return []
  })
}
