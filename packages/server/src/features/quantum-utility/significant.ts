/** Twelve digits: more than any of these figures means, and fewer than machines may differ in. */
export const significant = (value: number): number => Number(value.toPrecision(12)) + 0
