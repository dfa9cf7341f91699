/** The shipped program without its practice, which no test waits for, with the time that a loaded machine needs: what
 *  a decision is must not depend on it. */
export const PATIENT = {
  gatePool: {
    program: new URL('./quick-worker.ts', import.meta.url),
    waitMs: 60_000,
    hangMs: 20_000,
    inlineDeadlineMs: 5_000,
  },
}

/** Gates of which no worker is started before one is asked, by a long text or by readiness, which waits for it: few services
 *  of the tests need one. */
export const LAZY = { gatePool: { ...PATIENT.gatePool, isLazy: true }, probeMs: 8_000 }
