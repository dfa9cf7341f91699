const TABLE_SIZE = 0x20000

/**
 * A class of characters as a function of the code point. The expression is asked once for each character of the first two
 * planes and its answer kept: 128 KiB for each class, whatever texts come.
 */
export function characterClass(members: RegExp): (point: number) => boolean {
  const known = new Uint8Array(TABLE_SIZE)
  return (point) => {
    if (point >= TABLE_SIZE) return members.test(String.fromCodePoint(point))
    const answer = known[point]
    if (answer !== 0) return answer === 2
    const isMember = members.test(String.fromCodePoint(point))
    known[point] = isMember ? 2 : 1
    return isMember
  }
}
