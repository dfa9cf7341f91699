import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { connect } from '../service.ts'

export default command({
  name: 'keys rotate',
  summary: 'Have the service turn its demo key; old receipts keep verifying under the old one',
  usage: '',
  flags: SERVICE_FLAGS,
  example: 'orch keys rotate',
  async run({ flags, settings, terminal, signal }) {
    const turned = await connect(settings).call('keys.rotate', {}, { signal })
    await terminal.out(flags.json ? `${JSON.stringify(turned)}\n` : `${turned.old_keyid} -> ${turned.new_keyid}\n`)
    terminal.say('pin the new key: receipts from now on are signed with it')
    return EXIT.done
  },
})
