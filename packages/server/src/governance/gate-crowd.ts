/** Short texts, examined where they arrive as long as they come one by one. Of those that come in one turn of the loop the
 *  most go to a thread that has nothing to do, a few in one message, so that a busy service uses more than one core. */
import type { Examination } from '../domain/decision/examine.ts'
import type { Rules } from '../domain/gates/rules.ts'
import type { GateRequest } from '../governance-contract.ts'
import { examineBy } from './examination.ts'
import type { GatePool } from './gate-pool.ts'

/** What a thread reads within its limit even if all of them are hostile. */
const HANDED_OVER = 16
/** Read here before the loop, and with it an answer of a thread, has its turn again. */
const READ_HERE = 2
/** Fewer are not worth a message. */
const WORTH_HANDING_OVER = 4

interface Waiting {
  request: GateRequest
  settle(examination: Examination): void
}

export class GateCrowd {
  private readonly rules: Rules
  private readonly pool: Pick<GatePool, 'examineTogether'>
  private readonly waiting: Waiting[] = []
  private isFirst = true

  constructor(rules: Rules, pool: Pick<GatePool, 'examineTogether'>) {
    this.rules = rules
    this.pool = pool
  }

  examine(request: GateRequest): Examination | Promise<Examination> {
    if (!this.isFirst) return new Promise((settle) => this.waiting.push({ request, settle }))
    this.isFirst = false
    setImmediate(() => this.turn())
    return examineBy(this.rules, request)
  }

  private turn(): void {
    while (this.waiting.length >= WORTH_HANDING_OVER && this.handOver()) {
      // The next free thread has the next few.
    }
    for (const { request, settle } of this.waiting.splice(0, READ_HERE)) settle(examineBy(this.rules, request))
    if (this.waiting.length > 0) setImmediate(() => this.turn())
    else this.isFirst = true
  }

  private handOver(): boolean {
    const few = this.waiting.slice(0, HANDED_OVER)
    const examined = this.pool.examineTogether(few.map(({ request }) => request))
    if (examined === null) return false
    this.waiting.splice(0, HANDED_OVER)
    // A thread that fails is no fault of these texts: they are read here, as any of them alone would have been.
    void examined.then((outcome) => {
      few.forEach(({ request, settle }, at) => {
        settle(typeof outcome === 'string' ? examineBy(this.rules, request) : outcome[at]!)
      })
    })
    return true
  }
}
