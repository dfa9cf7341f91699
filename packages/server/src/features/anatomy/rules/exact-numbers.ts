/** Whether every number of a JSON text is the one a double holds. 9007199254740993 and 9007199254740992 are one double: two
 *  payloads that differ in such a field would be one statement with one digest. */

/** Strings are passed over, so that digits inside them are none. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

export function hasInexactNumber(json: string): boolean {
  for (const [literal] of json.matchAll(STRING_OR_NUMBER))
    if (!literal.startsWith('"') && normalForm(literal) !== normalForm(String(Number(literal)))) return true
  return false
}

/** One text for one value: sign, digits without zeros around them, and the power of ten behind the last. */
function normalForm(literal: string): string {
  const [, sign, whole, places = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const digits = `${whole ?? ''}${places}`
  let [from, to] = [0, digits.length]
  while (from < to && digits[from] === '0') from++
  while (to > from && digits[to - 1] === '0') to--
  if (from === to) return '0'
  return `${sign}${digits.slice(from, to)}e${Number(power) - places.length + digits.length - to}`
}
