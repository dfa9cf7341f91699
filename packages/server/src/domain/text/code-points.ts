/** How many code points a text has, without a list of them: texts of some megabytes are counted while others wait. */
export function codePoints(text: string): number {
  let pairs = 0
  for (let at = 1; at < text.length; at += 1)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) pairs += 1
  return text.length - pairs
}

/** The unit of a text, or -1 outside of it. A `charCodeAt` that was once asked for a unit outside is no longer compiled into
 *  the loop it stands in, which costs several times as much from then on. */
export const unitAt = (text: string, at: number): number => (at >= 0 && at < text.length ? text.charCodeAt(at) : -1)

/** What `codePointAt` should give. V8 14.6 reads past the end of a string that ends in the first half of a pair: of a string
 *  cut from a longer one it gives the whole pair, now and then, and the same text is read in two ways. `NaN` behind the end. */
export function codePointAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 0xd800 || unit > 0xdbff || at + 1 >= text.length) return unit
  const low = text.charCodeAt(at + 1)
  return low >= 0xdc00 && low <= 0xdfff ? (unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000 : unit
}

/** Whether a byte cannot stand behind the one before it in UTF-8; some bytes that are none are told later. */
export function breaksUtf8(before: number, byte: number): boolean {
  const continues = byte >= 0x80 && byte < 0xc0
  return byte >= 0xf8 || (continues && before < 0x80) || (before >= 0xc0 && !continues)
}
