/** What runs inside the engine before the caller's code does. The host gives the engine no function at all: what the code
 *  prints and what it comes to are collected in here and read as text afterwards, so there is no host value to climb. */

import type { CodeEnd } from './code.ts'

const MAX_VALUE_CHARACTERS = 32_768
export const MAX_STDOUT_BYTES = 16_384

/** Takes every builtin that it needs before the code can replace one. */
export const PRELUDE = `(() => {
  const { stringify, parse } = JSON, { apply } = Reflect, { slice } = String.prototype, text = String
  const Exhausted = InternalError
  delete globalThis.InternalError
  delete Exhausted.prototype.constructor
  const cut = (long, most) => apply(slice, long, [0, most])
  const field = (thing, name) => { try { const found = thing[name]; return typeof found === 'string' ? cut(found, 512) : null } catch { return null } }
  const shown = (thing) => { try { return typeof thing === 'string' ? thing : typeof thing === 'object' ? stringify(thing) ?? text(thing) : text(thing) } catch { return '[unprintable]' } }
  let out = ''
  return {
    __proto__: null,
    start(input, log) {
      if (input !== null) globalThis.input = parse(input)
      const print = (...parts) => {
        let line = ''
        for (let at = 0; at < parts.length; at += 1) line += (at === 0 ? '' : ' ') + cut(shown(parts[at]), ${MAX_STDOUT_BYTES + 1})
        if (out.length <= ${MAX_STDOUT_BYTES}) out += cut(line, ${MAX_STDOUT_BYTES + 1}) + '\\n'
      }
      if (log) globalThis.console = { log: print, info: print, warn: print, error: print, debug: print }
    },
    value(thing) {
      const json = typeof thing === 'bigint' ? stringify(text(thing)) : stringify(thing)
      if (json !== undefined && json.length > ${MAX_VALUE_CHARACTERS}) throw new RangeError('the value has more than ${MAX_VALUE_CHARACTERS} characters of JSON')
      return json
    },
    error: (thing) => stringify({
      __proto__: null,
      exhausted: thing instanceof Exhausted && field(thing, 'message') === 'out of memory',
      name: field(thing, 'name') ?? typeof thing,
      message: field(thing, 'message') ?? cut(shown(thing), 512),
    }),
    stdout: () => out,
  }
})()`

/** An end that shows nothing of the code. */
export function toEnd(exit: CodeEnd['exit'], error: CodeEnd['error'] = null): CodeEnd {
  return { exit, error, value_json: null, value_type: null, stdout: null, stdout_truncated: false }
}
