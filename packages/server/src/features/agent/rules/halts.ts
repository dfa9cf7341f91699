/** How a run ends. Every run ends in exactly one of these. */
export const HALTS = {
  DONE: 'completed',
  GATE_DENY: 'denied',
  REVIEW_REQUIRED: 'review',
  PLAN_EMPTY: 'halted',
  NEEDS_INPUT: 'halted',
  NO_PROGRESS: 'halted',
  MAX_STEPS: 'halted',
  DEADLINE: 'halted',
  TOOL_ERROR: 'halted',
  PLANNER_ERROR: 'halted',
} as const

export type HaltCode = keyof typeof HALTS
