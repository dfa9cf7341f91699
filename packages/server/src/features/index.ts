import type { Operation } from '../operation.ts'
import type { Ports } from '../ports.ts'
import { agent } from './agent/operations.ts'
import { anatomy } from './anatomy/operations.ts'
import { assets } from './assets/operations.ts'
import { assurance } from './assurance/operations.ts'
import { attestation } from './attestation/operations.ts'
import { brain } from './brain/operations.ts'
import { claims } from './claims/operations.ts'
import { consoleApp } from './console/operations.ts'
import { docs } from './docs/operations.ts'
import { financeAnalytics } from './finance/analytics-operations.ts'
import { prices } from './finance/price-operations.ts'
import { financeSources } from './finance/source-operations.ts'
import { formulas } from './formulas/operations.ts'
import { frontier } from './frontier/operations.ts'
import { gates } from './gates/operations.ts'
import { governance } from './governance/operations.ts'
import { governanceReports } from './governance-reports/operations.ts'
import { identity } from './identity/operations.ts'
import { inference } from './inference/operations.ts'
import { interpretability } from './interpretability/operations.ts'
import { log } from './log/operations.ts'
import { m1 } from './m1/operations.ts'
import { markets } from './markets/operations.ts'
import { materials } from './materials/operations.ts'
import { operator } from './operator/operations.ts'
import { organHealth } from './organs/health-operations.ts'
import { mcp } from './organs/mcp-operations.ts'
import { organs } from './organs/operations.ts'
import { pages } from './pages/operations.ts'
import { peers } from './peers/operations.ts'
import { pinn } from './pinn/operations.ts'
import { quantumUtility } from './quantum-utility/operations.ts'
import { readiness } from './readiness/operations.ts'
import { receipts } from './receipts/operations.ts'
import { reviews } from './reviews/operations.ts'
import { runtime } from './runtime/operations.ts'
import { securityLoop } from './security-loop/operations.ts'
import { sovereign } from './sovereign-compute/operations.ts'
import { stepping } from './stepping/operations.ts'
import { steward } from './steward/operations.ts'
import { wirea } from './wirea/operations.ts'

type NeedsOf<F extends (needs: never) => unknown> = Parameters<F>[0]

/** The shared ports and what single features need besides, each by the word of the feature itself. */
export type FeaturePorts = Ports &
  NeedsOf<typeof runtime> &
  NeedsOf<typeof identity> &
  NeedsOf<typeof pages> &
  NeedsOf<typeof docs> &
  NeedsOf<typeof readiness> &
  NeedsOf<typeof assets> &
  NeedsOf<typeof operator> &
  NeedsOf<typeof receipts> &
  NeedsOf<typeof formulas> &
  NeedsOf<typeof attestation> &
  NeedsOf<typeof assurance> &
  NeedsOf<typeof claims> &
  NeedsOf<typeof inference> &
  NeedsOf<typeof m1> &
  NeedsOf<typeof governanceReports> &
  NeedsOf<typeof stepping> &
  NeedsOf<typeof anatomy> &
  NeedsOf<typeof organs> &
  NeedsOf<typeof organHealth> &
  NeedsOf<typeof mcp> &
  NeedsOf<typeof steward> &
  NeedsOf<typeof securityLoop> &
  NeedsOf<typeof frontier> &
  NeedsOf<typeof financeAnalytics> &
  NeedsOf<typeof financeSources> &
  NeedsOf<typeof prices> &
  NeedsOf<typeof markets> &
  NeedsOf<typeof brain> &
  NeedsOf<typeof interpretability> &
  NeedsOf<typeof sovereign> &
  NeedsOf<typeof materials> &
  NeedsOf<typeof pinn> &
  NeedsOf<typeof wirea> &
  NeedsOf<typeof quantumUtility>

/** The table of contents: what is listed here is served, and nothing else is. */
export const allOperations = (ports: FeaturePorts): Operation[] => [
  ...runtime(ports),
  ...identity(ports),
  ...pages(ports),
  ...readiness(ports),
  ...peers(ports),
  ...assets(ports),
  ...operator(ports),
  ...consoleApp(ports),
  ...docs(ports),
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
  ...governanceReports(ports),
  ...reviews(ports),
  ...stepping(ports),
  ...anatomy(ports),
  ...organs(ports),
  ...organHealth(ports),
  ...mcp(ports),
  ...steward(ports),
  ...securityLoop(ports),
  ...frontier(ports),
  ...financeAnalytics(ports),
  ...financeSources(ports),
  ...prices(ports),
  ...markets(ports),
  ...brain(ports),
  ...interpretability(ports),
  ...sovereign(ports),
  ...materials(ports),
  ...pinn(ports),
  ...wirea(ports),
  ...quantumUtility(ports),
  ...m1(ports),
]
