// A second copy of an object in the middle of its work, so that a test can try a thousand endings of one beginning
// without walking that beginning a thousand times. Bytes, functions and promises are shared: nobody changes them.
export function fork<Kind>(value: Kind): Kind {
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value) || value instanceof Promise) return value
  if (Array.isArray(value)) return value.map(fork) as Kind
  if (value instanceof Map) return new Map([...value].map(([name, one]) => [name, fork(one)])) as Kind
  if (value instanceof Set) return new Set(value) as Kind
  const copy = Object.create(Object.getPrototypeOf(value))
  for (const [name, one] of Object.entries(value)) copy[name] = fork(one)
  return copy
}
