/** Verifier: statements that cannot be true together. It checks what can be checked without knowing the world: sums,
 *  counts, dates, lengths of digests, "only" against "all", and an action both asked for and forbidden. */

import type { RememberedStep } from '../rules/history.ts'
import { FULL, NONE, ratio } from '../rules/millionths.ts'
import type { ExpertFinding } from '../schemas.ts'
import { statementsIn } from './arithmetic.ts'
import { contradictionsIn, contradictsEarlier, onlyAgainstAll } from './contradiction.ts'
import { datesIn } from './date-order.ts'
import { wrongDigests } from './digest-length.ts'
import { distinct, expertFinding, notUnderstood, type Opinion } from './expert.ts'
import type { KeyedHash } from './novelty.ts'
import { placeOf, type Reading, type ReadView } from './reading.ts'
import { countsIn } from './stated-counts.ts'

/** `earlier` are the steps of the mode's window; none before the mode is chosen. */
export function verifier({ plain, understood }: Reading, earlier: readonly RememberedStep[], hash: KeyedHash): Opinion {
  const both = contradictionsIn(plain.actions).map((action) =>
    finding(plain, 'ASKED_AND_FORBIDDEN', action, action.lemma),
  )
  const before = contradictsEarlier(plain.actions, earlier, hash).map((action) =>
    finding(plain, 'AGAINST_EARLIER_STEP', action, action.lemma),
  )
  const statements = inconsistencies(plain)
  const blocks = both.length + before.length > 0
  if (!understood && statements.length === 0 && statementsIn(plain.text).length === 0)
    return { expert: 'verifier', verdict: 'abstain', findings: [notUnderstood(null)], intensities: {} }
  return {
    expert: 'verifier',
    verdict: blocks ? 'block' : statements.length > 0 ? 'caution' : 'pass',
    findings: distinct([...both, ...before, ...statements]),
    intensities: { inconsistency: blocks ? FULL : statements.length > 0 ? ratio(1, 2) : NONE },
  }
}

function inconsistencies(view: ReadView): ExpertFinding[] {
  const { text, tokens, actions } = view
  const tokensAt = (at: number, to: number) => ({ from: tokens[at]!.from, to: tokens[to]!.to })
  const limitedBefore = (at: number): boolean => tokens[at - 1]?.word === 'only' && tokens[at]!.mark === ''
  return [
    ...statementsIn(text)
      .filter(({ holds }) => !holds)
      .map((place) => finding(view, 'ARITHMETIC', place, 'the two sides differ')),
    ...countsIn(text, tokens).map(({ at, to, stated, listed }) =>
      finding(view, 'STATED_COUNT', tokensAt(at, to), `${stated} stated, ${listed} listed`),
    ),
    ...datesIn(text, tokens).map(({ code, at, to }) => finding(view, code, tokensAt(at, to), 'date')),
    ...wrongDigests(text, tokens).map(({ at, to }) => finding(view, 'DIGEST_LENGTH', tokensAt(at, to), 'digest')),
    ...onlyAgainstAll(actions, limitedBefore).map((action) => finding(view, 'ONLY_AND_ALL', action, action.lemma)),
  ]
}

const finding = (view: ReadView, code: string, place: { from: number; to: number }, evidence: string): ExpertFinding =>
  expertFinding(code, evidence, 'inconsistency', placeOf(view, place))
