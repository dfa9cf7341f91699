/** The two series that the examples and the vectors are computed on. */
const POINTS = 60

/** 100 + 0.5 i + 5 sin(i/3), i = 0..59 */
export const V1: readonly number[] = Array.from({ length: POINTS }, (_, i) => 100 + 0.5 * i + 5 * Math.sin(i / 3))
/** 50 + 0.2 i + 2 cos(i/4), i = 0..59 */
export const V2: readonly number[] = Array.from({ length: POINTS }, (_, i) => 50 + 0.2 * i + 2 * Math.cos(i / 4))
