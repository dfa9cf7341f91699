/** The shipped program but for most of its practice, which no test waits for, with the time that a loaded machine needs: what
 *  a decision is must not depend on it. */
export const PATIENT = {
  gatePool: {
    program: new URL('./quick-worker.ts', import.meta.url),
    waitMs: 60_000,
    hangMs: 20_000,
    inlineDeadlineMs: 5_000,
  },
}
