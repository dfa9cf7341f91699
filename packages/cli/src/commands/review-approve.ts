import { command } from '../command.ts'
import { giveVerdict, VERDICT_FLAGS } from '../review-verdict.ts'

export default command({
  name: 'review approve',
  summary: 'Let a decision pass that waits: the same request is then allowed once',
  usage: 'REVIEW_ID --reason TEXT',
  flags: VERDICT_FLAGS,
  example: 'orch review approve $REVIEW --reason "the amount is agreed"',
  run: (call) => giveVerdict('approve', call),
})
