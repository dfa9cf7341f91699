/** Exists for speed alone: room for the many short number lists of one examination. Each of its own would be memory outside
 *  the heap, which costs more to get and to give back than the list does to fill: with it the pipeline decides 2,865 texts in
 *  a second of the processor and without it 2,261, medians of four alternating runs (`node bench/programs/pipeline.ts 4`,
 *  beside one whose functions begin with `return make(size)`). A slab is handed out once and never taken back, so what is cut
 *  from it is zero and nobody else's; it goes with the last list that lies in it. */
const SLAB = 16_384
/** A longer list gets memory of its own. */
const MAX_LENGTH = 2048

function slabOf<List extends Int32Array | Uint16Array>(make: (size: number) => List): (size: number) => List {
  let slab = make(0)
  let used = 0
  return (size) => {
    if (size > MAX_LENGTH) return make(size)
    if (used + size > slab.length) {
      slab = make(SLAB)
      used = 0
    }
    used += size
    return slab.subarray(used - size, used) as List
  }
}

export const int32s = slabOf((size) => new Int32Array(size))
export const uint16s = slabOf((size) => new Uint16Array(size))
