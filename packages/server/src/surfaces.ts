import type { Operation } from './operation.ts'
import type { Ports } from './ports.ts'
import { runtime } from './surfaces/runtime/operations.ts'

/** The table of contents: what is listed here is served, and nothing else is. */
export const surfaces = (ports: Ports): Operation[] => [...runtime(ports)]
