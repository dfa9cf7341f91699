import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { reviewId } from '../review-rows.ts'
import { connect } from '../service.ts'

export default command({
  name: 'review show',
  summary: 'Print one review; what was asked only for those who may decide it',
  usage: 'REVIEW_ID',
  flags: SERVICE_FLAGS,
  example: 'orch review show $REVIEW',
  async run({ args, flags, settings, terminal, signal }) {
    const review_id = reviewId(args)
    const item = await connect(settings).call('reviews.read', { params: { review_id } }, { signal })
    await terminal.out(`${JSON.stringify(item, null, flags.json ? 0 : 2)}\n`)
    return EXIT.done
  },
})
