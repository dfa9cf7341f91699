import type { Operation } from './operation.ts'
import type { Ports } from './ports.ts'
import { agent } from './surfaces/agent/operations.ts'
import { anatomy } from './surfaces/anatomy/operations.ts'
import { assets } from './surfaces/assets/operations.ts'
import { assurance } from './surfaces/assurance/operations.ts'
import { attestation } from './surfaces/attestation/operations.ts'
import { claims } from './surfaces/claims/operations.ts'
import { operatorConsole } from './surfaces/console/operations.ts'
import { formulas } from './surfaces/formulas/operations.ts'
import { gates } from './surfaces/gates/operations.ts'
import { governance } from './surfaces/governance/operations.ts'
import { identity } from './surfaces/identity/operations.ts'
import { inference } from './surfaces/inference/operations.ts'
import { log } from './surfaces/log/operations.ts'
import { neighbours } from './surfaces/neighbours/operations.ts'
import { operator } from './surfaces/operator/operations.ts'
import { pages } from './surfaces/pages/operations.ts'
import { readiness } from './surfaces/readiness/operations.ts'
import { receipts } from './surfaces/receipts/operations.ts'
import { reviews } from './surfaces/reviews/operations.ts'
import { runtime } from './surfaces/runtime/operations.ts'
import { effectOperations } from './surfaces/stepping/effect-operations.ts'
import { stepping } from './surfaces/stepping/operations.ts'
import { wow } from './surfaces/wow/operations.ts'

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
