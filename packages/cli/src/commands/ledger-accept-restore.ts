import { usage } from '../exit.ts'
import { toolCommand } from '../tool-command.ts'

type Accepted = { 'guard-head'?: string; 'store-head'?: string; reason?: string }

const HEAD = /^(?:none|(?:0|[1-9]\d{0,15}):[0-9a-f]{64})$/

export default toolCommand({
  job: 'accept-restore',
  summary: 'Go on with a restored ledger: record a signed receipt that names both heads',
  usage: '--guard-head HEAD --store-head HEAD --reason TEXT [--data FOLDER]',
  example:
    'orch ledger accept-restore --data data --guard-head "$GUARD_HEAD" --store-head "$STORE_HEAD" --reason "disk replaced"',
  flags: {
    'guard-head': { type: 'string', value: 'HEAD', help: 'what the guard holds, as the refused start printed it' },
    'store-head': { type: 'string', value: 'HEAD', help: 'what the store holds, as the refused start printed it' },
    reason: { type: 'string', value: 'TEXT', help: 'why, in 1 to 500 characters; it stands in the receipt' },
  },
  argsOf({ flags }) {
    const { 'guard-head': guard = '', 'store-head': store = '', reason = '' } = flags as Accepted
    if (!HEAD.test(guard) || !HEAD.test(store))
      throw usage('--guard-head and --store-head are SIZE:ROOT or none, as the refused start printed them')
    if (reason === 'WHY' || !/^[^\p{Cc}]{1,500}$/u.test(reason))
      throw usage('--reason says why in 1 to 500 characters on one line')
    return ['--guard-head', guard, '--store-head', store, '--reason', reason]
  },
})
