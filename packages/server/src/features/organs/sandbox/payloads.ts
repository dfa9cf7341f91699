/** The escapes and exhaustions that the sandbox is probed with. The list is data; here is what counts as an escape. */
import type { CodeEnd } from './code.ts'
import list from './payloads.json' with { type: 'json' }

interface Payload {
  id: string
  group: string
  /** What the code attempts, in a few words. */
  tries: string
  /** Its last expression is what it got hold of: a list that is empty where it got nothing. */
  code: string
}

export const PAYLOADS: readonly Payload[] = list
export const PROBE_LIMITS = { timeoutMs: 50, memoryMb: 8 }
/** Sooner than for a caller's code: killed or timed out, a payload is contained. */
export const PROBE_KILL_MS = 200

/** What no code in the sandbox may reach. `loot` names those that a scope, a function or an object leads to. */
const LOOT = `const loot = (...found) => found.flatMap((scope) => ['process', 'require', 'module', 'fetch', 'Buffer', 'WebAssembly', 'setTimeout', 'setImmediate', 'navigator', 'structuredClone', 'XMLHttpRequest', 'Deno', 'Bun', 'std', 'os', 'scriptArgs', 'mainModule', 'binding', 'dlopen', 'readFileSync', 'env'].filter((name) => { try { return scope !== null && scope !== undefined && typeof scope[name] !== 'undefined' } catch { return false } }));\n`

export const toCode = (code: string): string => LOOT + code

/** Stopped or failed is contained, and so is code that ended with empty hands. */
export const isContained = ({ exit, value_json }: Pick<CodeEnd, 'exit' | 'value_json'>): boolean =>
  exit !== 'ok' || value_json === '[]'
