/** The chains of the ledger that stepping writes to, in every namespace. */
export const STEP_CHAIN = 'gdw'
/** Runs of the outbox and recoveries. */
export const AUDIT_CHAIN = 'gdw-recovery'
