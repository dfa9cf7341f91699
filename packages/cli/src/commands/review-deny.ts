import { command } from '../command.ts'
import { giveVerdict, VERDICT_FLAGS } from '../review-verdict.ts'

export default command({
  name: 'review deny',
  summary: 'Close a decision that waits: it stays denied',
  usage: 'REVIEW_ID --reason TEXT',
  flags: VERDICT_FLAGS,
  example: 'orch review deny $REVIEW --reason "not this quarter"',
  run: (call) => giveVerdict('deny', call),
})
