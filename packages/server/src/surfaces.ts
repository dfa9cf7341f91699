import { agent } from './features/agent/operations.ts'
import { anatomy } from './features/anatomy/operations.ts'
import { assets } from './features/assets/operations.ts'
import { assurance } from './features/assurance/operations.ts'
import { attestation } from './features/attestation/operations.ts'
import { claims } from './features/claims/operations.ts'
import { operatorConsole } from './features/console/operations.ts'
import { formulas } from './features/formulas/operations.ts'
import { gates } from './features/gates/operations.ts'
import { governance } from './features/governance/operations.ts'
import { wow } from './features/governance-reports/operations.ts'
import { identity } from './features/identity/operations.ts'
import { inference } from './features/inference/operations.ts'
import { log } from './features/log/operations.ts'
import { operator } from './features/operator/operations.ts'
import { pages } from './features/pages/operations.ts'
import { neighbours } from './features/peers/operations.ts'
import { readiness } from './features/readiness/operations.ts'
import { receipts } from './features/receipts/operations.ts'
import { reviews } from './features/reviews/operations.ts'
import { runtime } from './features/runtime/operations.ts'
import { effectOperations } from './features/stepping/effect-operations.ts'
import { stepping } from './features/stepping/operations.ts'
import type { Operation } from './operation.ts'
import type { Ports } from './ports.ts'

/** The table of contents: what is listed here is served, and nothing else is. */
export const surfaces = (ports: Ports): Operation[] => [
  ...runtime(ports),
  ...identity(ports),
  ...pages(ports),
  ...readiness(ports),
  ...neighbours(ports),
  ...assets(ports),
  ...operator(ports),
  ...operatorConsole(ports),
  ...receipts(ports),
  ...log(ports),
  ...formulas(ports),
  ...attestation(ports),
  ...assurance(ports),
  ...claims(ports),
  ...governance(ports),
  ...gates(ports),
  ...inference(ports),
  ...agent(ports),
  ...wow(ports),
  ...reviews(ports),
  ...stepping(ports),
  ...effectOperations(ports),
  ...anatomy(ports),
]
