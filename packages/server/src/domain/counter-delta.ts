/** Microjoules between two reads of an energy counter that starts again at `range`. */
export const counterDelta = (before: bigint, after: bigint, range: bigint): bigint =>
  after >= before ? after - before : after + range - before
