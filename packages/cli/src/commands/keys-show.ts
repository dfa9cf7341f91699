import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { readRing } from '../key-ring.ts'
import { connect } from '../service.ts'

export default command({
  name: 'keys show',
  summary: 'List the keys that signed at the service, and which of them are pinned here',
  usage: '',
  flags: SERVICE_FLAGS,
  example: 'orch keys show',
  async run({ flags, settings, terminal, signal }) {
    const reply = await connect(settings).call('keys.list', {}, { signal })
    const ring = readRing(settings.configFolder)
    const kindHere = (keyid: string) => ring.keys.find(({ key }) => key.keyid === keyid)?.kind ?? null
    const keys = reply.keys.map((key) => ({ ...key, pinned_as: kindHere(key.keyid) }))
    const log = { vkey: reply.log_vkey, pinned: ring.logKeys.includes(reply.log_vkey) }
    if (flags.json) await terminal.out(`${JSON.stringify({ ...reply, keys, log })}\n`)
    else
      for (const { keyid, kind, active, from, to, pinned_as } of keys)
        await terminal.out(
          `${keyid}  ${kind}  ${active ? 'active' : 'retired'}  ${from} to ${to ?? 'now'}  ${pinned_as ? `pinned as ${pinned_as}` : 'not pinned'}\n`,
        )
    if (!flags.json) await terminal.out(`${log.vkey}  log  ${log.pinned ? 'pinned' : 'not pinned'}\n`)
    return EXIT.done
  },
})
