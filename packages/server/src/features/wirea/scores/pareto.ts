interface Judged {
  model: string
  brier: number
  ece: number
  coverage: number
}

/** Those that no other one beats: low Brier score, low calibration error, high coverage. Equals stand together. */
export const paretoFront = (candidates: readonly Judged[]): string[] =>
  candidates.filter((one) => !candidates.some((other) => dominates(other, one))).map(({ model }) => model)

const dominates = (a: Judged, b: Judged): boolean =>
  a.brier <= b.brier &&
  a.ece <= b.ece &&
  a.coverage >= b.coverage &&
  (a.brier < b.brier || a.ece < b.ece || a.coverage > b.coverage)
