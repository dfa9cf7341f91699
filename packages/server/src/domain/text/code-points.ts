/** How many code points a text has, without a list of them: texts of some megabytes are counted while others wait. */
export function codePoints(text: string): number {
  let pairs = 0
  for (let at = 1; at < text.length; at += 1)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) pairs += 1
  return text.length - pairs
}
