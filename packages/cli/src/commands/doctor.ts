import { command, SERVICE_FLAGS } from '../command.ts'
import { type DoctorCheck, diagnose } from '../diagnosis.ts'
import { EXIT } from '../exit.ts'
import { masked, SETTING_NAMES, type Settings } from '../settings.ts'

export default command({
  name: 'doctor',
  summary: 'Show every setting with its origin and check what the commands need',
  usage: '',
  flags: { data: { type: 'string', value: 'FOLDER', help: 'data folder' }, ...SERVICE_FLAGS },
  example: 'orch doctor',
  async run({ flags, settings, terminal }) {
    const shown = settingsOf(settings)
    const checks = await diagnose(settings)
    if (flags.json)
      await terminal.out(`${JSON.stringify({ settings: shown, config_folder: settings.configFolder, checks })}\n`)
    else {
      for (const { name, value, origin } of shown)
        await terminal.out(`${name.padEnd(10)} ${value ?? '-'}  (${origin})\n`)
      await terminal.out(`config     ${settings.configFolder}\n\n`)
      for (const check of checks) await terminal.out(`${line(check, terminal.paint)}\n`)
    }
    return checks.every(({ ok }) => ok) ? EXIT.done : EXIT.error
  },
})

const line = ({ name, ok, detail }: DoctorCheck, paint: (colour: 'green' | 'red', text: string) => string): string =>
  `${ok ? paint('green', 'ok  ') : paint('red', 'FAIL')} ${name.padEnd(12)} ${detail}`

function settingsOf(settings: Settings) {
  return SETTING_NAMES.map((name) => {
    const found = settings.get(name)
    return { name, value: found && masked(found), origin: found?.origin ?? 'not set' }
  })
}
