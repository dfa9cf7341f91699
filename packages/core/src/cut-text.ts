/** The first `most` units of a text, and one less where half of a pair would be left: half of one has no canonical form, so
 *  nothing that holds it can be hashed. */
export function cutText(text: string, most: number): string {
  const splits = isHigh(text.charCodeAt(most - 1)) && isLow(text.charCodeAt(most))
  return text.slice(0, splits ? most - 1 : most)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
