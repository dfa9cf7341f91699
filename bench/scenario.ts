// A scenario is anything that yields one number per round. Whoever adds one lists it in scenarios.ts.
export interface Scenario {
  name: string
  unit: string
  /** Decimals that the figure is written with, where it is not one. */
  digits?: number
  /** The scenario this one is judged against, measured in the same run. */
  ratioTo?: string
  /** Ratios: the first bar to pass, and the goal. */
  bar?: number
  goal?: number
  /** The scenario whose value is taken off this one's, round by round, and the most that may be left. */
  addedTo?: string
  most?: number
  /** One reading is all there is; it is not five because others have five rounds. */
  isReadOnce?: boolean
  prepare(): Promise<Runner>
}

export interface Runner {
  /** Measures for about `seconds`, warm-up aside. */
  measure(seconds: number): Promise<number>
  close(): Promise<void>
}

/** Nothing could be measured, and why. */
export class Unavailable extends Error {}
