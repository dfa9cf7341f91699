import { usage } from '../exit.ts'
import { toolCommand } from '../tool-command.ts'

export default toolCommand({
  job: 'migrate',
  summary: 'Copy the ledger to another store, re-walk both sides and compare their heads',
  usage: '--to URL|FOLDER [--data FOLDER]',
  example: 'orch ledger migrate --data data --to migrated',
  flags: { to: { type: 'string', value: 'URL|FOLDER', help: 'postgres://... or an empty data folder' } },
  argsOf({ flags }) {
    const to = (flags as { to?: string }).to
    if (to === undefined) throw usage('say where to: --to postgres://... or --to FOLDER')
    return ['--to', to]
  },
})
