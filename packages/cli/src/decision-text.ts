// A decision for people, every number beside the word that says what it is worth.
import type { Decision, Review } from '@orch/client'
import { CliError, EXIT, type ExitCode } from './exit.ts'
import { type Colour, printable, type Terminal } from './terminal.ts'

const COLOURS: Record<Decision['decision'], Colour> = { allow: 'green', review: 'yellow', deny: 'red' }
const EXITS: Record<Decision['decision'], ExitCode> = { allow: EXIT.done, review: EXIT.review, deny: EXIT.denied }

/** Anything may have answered in the place of the service: a word that is none of the three is no decision. */
export function exitOfDecision({ decision }: Pick<Decision, 'decision'>): ExitCode {
  const exit = Object.hasOwn(EXITS, String(decision)) ? EXITS[decision] : null
  if (exit === null) throw new CliError(EXIT.error, 'the answer is not a decision')
  return exit
}

export function decisionText(answer: Decision, { paint }: Pick<Terminal, 'paint'>): string {
  const { decision, reasons, explanations, gates_fired, lambda, policy, receipt, review } = answer
  const number = lambda
    ? `${lambda.value} of floor ${lambda.floor} (${lambda.label}, can hold, never lets pass, ${lambda.status})`
    : 'UNAVAILABLE'
  return [
    `${paint(COLOURS[decision], decision.toUpperCase())}  ${reasons.map(printable).join(', ')}`,
    ...explanations.map(({ code, sentence }) => `  ${printable(code)}: ${printable(sentence)}`),
    ...(policy.hint ? [`  hint         ${printable(policy.hint)}`] : []),
    `  gates fired  ${gates_fired.map(printable).join(', ') || 'none'}`,
    `  lambda       ${number}`,
    ...(receipt
      ? [`  receipt      ${receipt.digest} (${receipt.signed ? `signed, ${receipt.key_kind}` : 'unsigned'})`]
      : []),
    ...(review ? [`  review       ${printable(review.review_id)}, expires ${printable(review.expires_at)}`] : []),
    '',
  ].join('\n')
}

/** What became of a review, after the decision that asked for it. */
export const settledText = ({ review_id, state, final_receipt }: Review): string =>
  `review ${printable(review_id)} ended ${state}${final_receipt ? `, receipt ${final_receipt}` : ''}\n`
