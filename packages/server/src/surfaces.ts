import type { Operation } from './operation.ts'
import type { Ports } from './ports.ts'
import { assurance } from './surfaces/assurance/operations.ts'
import { attestation } from './surfaces/attestation/operations.ts'
import { formulas } from './surfaces/formulas/operations.ts'
import { log } from './surfaces/log/operations.ts'
import { pages } from './surfaces/pages/operations.ts'
import { receipts } from './surfaces/receipts/operations.ts'
import { runtime } from './surfaces/runtime/operations.ts'

/** The table of contents: what is listed here is served, and nothing else is. */
export const surfaces = (ports: Ports): Operation[] => [
  ...runtime(ports),
  ...pages(ports),
  ...receipts(ports),
  ...log(ports),
  ...formulas(ports),
  ...attestation(ports),
  ...assurance(ports),
]
