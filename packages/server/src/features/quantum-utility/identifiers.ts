/** Ids of the operations, as receipts name them. */
export const BASELINE = 'quantumUtility.quboBaseline'
export const SHOT_PLAN = 'quantumUtility.shotPlan'
export const SCORE = 'quantumUtility.counterfactualScore'
export const RUPTURE_GATE = 'quantumUtility.ruptureGate'
export const REPLAY = 'quantumUtility.receiptReplay'
