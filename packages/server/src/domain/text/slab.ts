// Room for the many short number lists of one examination. Each of its own would be memory outside the heap, which
// costs more to get and to give back than the list does to fill. A slab is handed out once and never taken back, so
// what is cut from it is zero and nobody else's; it goes with the last list that lies in it.
const SLAB = 16_384
/** A longer list gets memory of its own. */
const LONGEST = 2048

let ints = new Int32Array(0)
let intsUsed = 0
let units = new Uint16Array(0)
let unitsUsed = 0

export function int32s(size: number): Int32Array {
  if (size > LONGEST) return new Int32Array(size)
  if (intsUsed + size > ints.length) {
    ints = new Int32Array(SLAB)
    intsUsed = 0
  }
  intsUsed += size
  return ints.subarray(intsUsed - size, intsUsed)
}

export function uint16s(size: number): Uint16Array {
  if (size > LONGEST) return new Uint16Array(size)
  if (unitsUsed + size > units.length) {
    units = new Uint16Array(SLAB)
    unitsUsed = 0
  }
  unitsUsed += size
  return units.subarray(unitsUsed - size, unitsUsed)
}
