/** The life of one policy as a fold over its events. An event that its state does not allow is refused and changes
 *  nothing; the events that were accepted are the whole state. */
import Big from 'big.js'
import { dateOf, dayOf, yearAfter } from './dates.ts'
import { QUOTE_DAYS } from './rating.ts'
import type { PolicyEvent } from './shapes.ts'

export const EVENTS = [
  'quote',
  'issue',
  'clear_issue',
  'bind',
  'endorse',
  'cancel',
  'fnol',
  'reserve',
  'pay',
  'close',
] as const
type EventType = (typeof EVENTS)[number]
export const STATES = ['NEW', 'QUOTED', 'BOUND', 'IN_FORCE', 'CANCELLED', 'EXPIRED'] as const
type PolicyState = (typeof STATES)[number]

/** What an event must hold, and what it may hold, beside its type and date. */
export const EVENT_FIELDS: Readonly<Record<EventType, { needs: readonly string[]; may?: readonly string[] }>> = {
  quote: { needs: ['premium', 'limit'] },
  issue: { needs: ['issue'] },
  clear_issue: { needs: ['issue'] },
  bind: { needs: [], may: ['effective', 'expires'] },
  endorse: { needs: ['premium_change'], may: ['effective'] },
  cancel: { needs: [], may: ['effective'] },
  fnol: { needs: ['claim'], may: ['loss_date'] },
  reserve: { needs: ['claim', 'amount'] },
  pay: { needs: ['claim', 'amount'] },
  close: { needs: ['claim'] },
}

interface Claim {
  claim: string
  status: 'OPEN' | 'CLOSED'
  loss_date: string
  reserve: Big
  paid: Big
}

interface Policy {
  quotedAt: number | null
  premium: Big
  limit: Big
  issues: Set<string>
  effective: number | null
  expires: number
  cancelled: number | null
  /** Premium for the whole term, and the day from which it is charged. */
  charges: { from: number; amount: Big }[]
  written: Big
  claims: Map<string, Claim>
  today: number
}

export const ACCOUNTS = ['written_premium', 'return_premium', 'case_reserve', 'paid_loss'] as const
type Account = (typeof ACCOUNTS)[number]

class Refusal extends Error {
  readonly code: string
  constructor(code: string, reason: string) {
    super(reason)
    this.code = code
  }
}

const refuse = (code: string, reason: string): never => {
  throw new Refusal(code, reason)
}
const cents = (amount: Big): Big => amount.round(2, Big.roundHalfUp)
const money = (amount: Big): string => amount.toFixed(2)

/** As of a day: a term that has ended needs no event. */
function stateOn({ quotedAt, effective, expires, cancelled }: Policy, day: number): PolicyState {
  if (effective === null) return quotedAt === null ? 'NEW' : 'QUOTED'
  if (cancelled !== null) return 'CANCELLED'
  if (day >= expires) return 'EXPIRED'
  return day < effective ? 'BOUND' : 'IN_FORCE'
}

/** The first day that is no longer covered. */
const coverEnd = ({ cancelled, expires }: Policy): number => cancelled ?? expires

/** Of the charges of the whole term, what falls on the days before `day`, to the cent. */
const earnedBefore = ({ charges, effective, expires }: Policy, day: number): Big =>
  cents(
    charges.reduce(
      (sum, { from, amount }) => sum.plus(amount.times(Math.max(0, day - from)).div(expires - effective!)),
      new Big(0),
    ),
  )

type Post = (account: Account, amount: Big, claim?: string) => void
type Step = (policy: Policy, event: PolicyEvent, post: Post) => void

const needsCover = (policy: Policy, what: string): void => {
  const state = stateOn(policy, policy.today)
  if (state === 'BOUND' || state === 'IN_FORCE') return
  refuse(
    policy.effective === null ? 'NOT_BOUND' : `POLICY_${state}`,
    `${what} needs a policy that runs; it is ${state}`,
  )
}

function openClaim({ claims }: Policy, id: string): Claim {
  const claim = claims.get(id) ?? refuse('UNKNOWN_CLAIM', `no claim ${id} was reported`)
  return claim.status === 'OPEN' ? claim : refuse('CLAIM_CLOSED', `claim ${id} is closed`)
}

const STEPS: Readonly<Record<EventType, Step>> = {
  quote(policy, { premium, limit }) {
    if (policy.effective !== null) refuse('ALREADY_BOUND', 'a bound policy is changed by endorsement, not quoted anew')
    if ([premium, limit].some((amount) => new Big(amount!).eq(0)))
      refuse('EMPTY_QUOTE', 'premium and limit are above zero')
    Object.assign(policy, { quotedAt: policy.today, premium: new Big(premium!), limit: new Big(limit!) })
  },
  issue(policy, { issue }) {
    if (stateOn(policy, policy.today) !== 'QUOTED')
      refuse('NOT_QUOTED', 'an underwriting issue is raised on a quote that is not bound')
    if (policy.issues.has(issue!)) refuse('ISSUE_OPEN', `issue ${issue} is open already`)
    policy.issues.add(issue!)
  },
  clear_issue(policy, { issue }) {
    if (!policy.issues.delete(issue!)) refuse('UNKNOWN_ISSUE', `no issue ${issue} is open`)
  },
  bind(policy, { at, effective = at, expires = yearAfter(effective) }, post) {
    const state = stateOn(policy, policy.today)
    if (state === 'NEW') refuse('NOT_QUOTED', 'there is no quote to bind')
    if (state !== 'QUOTED') refuse('ALREADY_BOUND', 'the policy was bound before')
    const [first] = policy.issues
    if (first !== undefined) refuse('OPEN_ISSUE', `underwriting issue ${first} is open`)
    const last = policy.quotedAt! + QUOTE_DAYS
    if (policy.today > last) refuse('QUOTE_EXPIRED', `the quote held until ${dateOf(last)}`)
    const [from, until] = [dayOf(effective)!, dayOf(expires)!]
    if (from < policy.today) refuse('BACKDATED', 'cover cannot begin before it is bound')
    if (until <= from) refuse('EMPTY_TERM', 'the term must end after it begins')
    const written = cents(policy.premium)
    Object.assign(policy, { effective: from, expires: until, charges: [{ from, amount: written }], written })
    post('written_premium', written)
  },
  endorse(policy, { at, effective = at, premium_change }, post) {
    needsCover(policy, 'an endorsement')
    const day = dayOf(effective)!
    if (day < Math.max(policy.today, policy.effective!) || day >= policy.expires)
      refuse('OUTSIDE_TERM', 'an endorsement takes effect today or later, inside the term')
    const amount = new Big(premium_change!)
    const total = policy.charges.reduce((sum, charge) => sum.plus(charge.amount), amount)
    if (total.lt(0)) refuse('NEGATIVE_PREMIUM', 'the premium of the term would fall below zero')
    policy.charges.push({ from: day, amount })
    const charge = earnedBefore(policy, policy.expires).minus(policy.written)
    policy.written = policy.written.plus(charge)
    post(charge.lt(0) ? 'return_premium' : 'written_premium', charge)
  },
  cancel(policy, { at, effective = at }, post) {
    needsCover(policy, 'a cancellation')
    const day = dayOf(effective)!
    if (day < policy.today) refuse('RETROACTIVE', 'a cancellation cannot take effect before its own date')
    if (day >= policy.expires) refuse('OUTSIDE_TERM', 'the term has ended by then')
    const until = Math.max(day, policy.effective!)
    const late = [...policy.claims.values()].find(({ loss_date }) => dayOf(loss_date)! >= until)
    if (late !== undefined) refuse('LOSS_AFTER_CANCELLATION', `claim ${late.claim} has a later loss`)
    const unearned = policy.written.minus(earnedBefore(policy, until))
    policy.cancelled = until
    policy.written = policy.written.minus(unearned)
    post('return_premium', unearned.times(-1))
  },
  fnol(policy, { at, claim, loss_date = at }) {
    if (policy.effective === null) refuse('NOT_BOUND', 'there is no cover to report a loss under')
    const day = dayOf(loss_date)!
    if (day > policy.today) refuse('FUTURE_LOSS', 'a loss is reported on its day or later')
    if (day < policy.effective! || day >= coverEnd(policy))
      refuse('OUTSIDE_TERM', `cover runs from ${dateOf(policy.effective!)} to before ${dateOf(coverEnd(policy))}`)
    if (policy.claims.has(claim!)) refuse('CLAIM_EXISTS', `claim ${claim} was reported before`)
    const zero = new Big(0)
    policy.claims.set(claim!, { claim: claim!, status: 'OPEN', loss_date, reserve: zero, paid: zero })
  },
  reserve(policy, { claim: id, amount }, post) {
    const claim = openClaim(policy, id!)
    const reserve = new Big(amount!)
    if (reserve.plus(claim.paid).gt(policy.limit)) refuse('OVER_LIMIT', 'paid and reserved would pass the limit')
    post('case_reserve', reserve.minus(claim.reserve), id)
    claim.reserve = reserve
  },
  pay(policy, { claim: id, amount }, post) {
    const claim = openClaim(policy, id!)
    const paid = new Big(amount!)
    if (paid.eq(0)) refuse('ZERO_PAYMENT', 'a payment is above zero')
    if (paid.gt(claim.reserve)) refuse('OVER_RESERVE', `only ${money(claim.reserve)} is reserved`)
    claim.reserve = claim.reserve.minus(paid)
    claim.paid = claim.paid.plus(paid)
    post('paid_loss', paid, id)
    post('case_reserve', paid.times(-1), id)
  },
  close(policy, { claim: id }) {
    const claim = openClaim(policy, id!)
    if (claim.reserve.gt(0)) refuse('OUTSTANDING_RESERVE', `${money(claim.reserve)} is still reserved`)
    claim.status = 'CLOSED'
  },
}

export function runLifecycle(events: readonly PolicyEvent[]) {
  const zero = new Big(0)
  const policy: Policy = {
    ...{ quotedAt: null, premium: zero, limit: zero, issues: new Set(), effective: null, expires: 0, cancelled: null },
    ...{ charges: [], written: zero, claims: new Map(), today: -Infinity },
  }
  const refused: { index: number; type: EventType; code: string; reason: string; state: PolicyState }[] = []
  const history: { index: number; type: EventType; from: PolicyState; to: PolicyState }[] = []
  const ledger: { index: number; at: string; account: Account; claim: string | null; amount: string }[] = []
  for (const [index, event] of events.entries()) {
    const [{ type, at }, day, before] = [event, dayOf(event.at)!, policy.today]
    try {
      if (day < policy.today) refuse('OUT_OF_ORDER', `is dated before the event of ${dateOf(policy.today)}`)
      policy.today = day
      const from = stateOn(policy, day)
      STEPS[type](policy, event, (account, amount, claim = undefined) => {
        if (!amount.eq(0)) ledger.push({ index, at, account, claim: claim ?? null, amount: money(amount) })
      })
      history.push({ index, type, from, to: stateOn(policy, day) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      policy.today = before
      refused.push({
        index,
        type,
        code: error.code,
        reason: error.message,
        state: stateOn(policy, Math.max(day, before)),
      })
    }
  }
  return { result: { ...report(policy), history, refused, ledger }, isBound: policy.effective !== null }
}

function report(policy: Policy) {
  const { effective, claims, written, issues, today } = policy
  const day = effective === null ? 0 : Math.max(effective, Math.min(today, coverEnd(policy)))
  const earned = effective === null ? new Big(0) : earnedBefore(policy, day)
  const listed = [...claims.values()].map(({ reserve, paid, ...claim }) => ({
    ...claim,
    reserve: money(reserve),
    paid: money(paid),
    incurred: money(reserve.plus(paid)),
  }))
  const total = (pick: (claim: Claim) => Big) =>
    [...claims.values()].reduce((sum, claim) => sum.plus(pick(claim)), new Big(0))
  return {
    state: stateOn(policy, today),
    as_of: Number.isFinite(today) ? dateOf(today) : null,
    term:
      effective === null
        ? null
        : { effective: dateOf(effective), expires: dateOf(policy.expires), cover_ends: dateOf(coverEnd(policy)) },
    open_issues: [...issues],
    premium: { written: money(written), earned: money(earned), unearned: money(written.minus(earned)) },
    claims: listed,
    totals: { reserve: money(total(({ reserve }) => reserve)), paid: money(total(({ paid }) => paid)) },
  }
}
