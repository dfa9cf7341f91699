import type { Around, Observed } from './surface.ts'

/** The audit of the running service. MUST append nothing: what changed is recorded by the steward's own schedule. */
export interface Steward {
  /** One run for all who ask at once and for ten seconds after. Never rejects: a failed audit is told with the last one. */
  observe(): Promise<{ observed: Observed; around: Around }>
}
