import type { Client } from '@orch/client'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { readRing } from '../key-ring.ts'
import { refusalOf } from '../refusal.ts'
import { connect } from '../service.ts'
import { masked, SETTING_NAMES, type Settings } from '../settings.ts'
import { printable } from '../terminal.ts'

export default command({
  name: 'doctor',
  summary: 'Show every setting with its origin and check what the commands need',
  usage: '',
  flags: { data: { type: 'string', value: 'FOLDER', help: 'data folder' }, ...SERVICE_FLAGS },
  example: 'orch doctor',
  async run({ flags, settings, terminal }) {
    const shown = SETTING_NAMES.map((name) => {
      const found = settings.get(name)
      return { name, value: found && masked(found), origin: found?.origin ?? 'not set' }
    })
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

// The checks of `orch doctor`, each taken now. A check that cannot be made is a check that failed.
type DoctorCheck = { name: string; ok: boolean; detail: string }

const MIN_NODE = 26
/** Receipts carry the service's time: a reader whose clock is far off misjudges the validity of keys. */
const LARGEST_SKEW_MS = 5_000

async function diagnose(settings: Settings): Promise<DoctorCheck[]> {
  const service = (name: string, run: (client: Client) => Promise<Omit<DoctorCheck, 'name'>>) =>
    checked(name, () => run(connect(settings, { timeoutMs: 5_000, retries: 0 })))
  return [
    checkNode(),
    await service('service', reachable),
    await service('readiness', ready),
    await checked('ring', async () => ring(settings)),
    await service('key pinned', (one) => keyPinned(one, settings)),
    await service('clock', clock),
  ]
}

async function checked(name: string, run: () => Promise<Omit<DoctorCheck, 'name'>>): Promise<DoctorCheck> {
  try {
    return { name, ...(await run()) }
  } catch (error) {
    return { name, ok: false, detail: printable(refusalOf(error).lines.join('; ')) }
  }
}

function checkNode(): DoctorCheck {
  const node = process.versions.node
  const ok = Number(node.split('.')[0]) >= MIN_NODE
  return { name: 'node', ok, detail: `${node}, at least ${MIN_NODE} is needed` }
}

async function reachable(client: Client) {
  const health = await client.call('runtime.health')
  return {
    ok: health.service === 'orch',
    detail: `${client.baseUrl} answers, version ${health.version}, access ${health.auth_mode}`,
  }
}

async function ready(client: Client) {
  const report = await client.call('runtime.readyz')
  return {
    ok: report.ready,
    detail: report.ready ? 'every component it needs works' : report.blocking_components.join(', '),
  }
}

async function ring({ configFolder }: Settings) {
  const { keys, logKeys } = readRing(configFolder)
  return { ok: true, detail: `${keys.length} keys and ${logKeys.length} log keys are pinned` }
}

async function keyPinned(client: Client, settings: Settings) {
  const { active_keyid: active } = await client.call('keys.list')
  if (active === null) return { ok: false, detail: 'the service signs nothing' }
  const pinned = readRing(settings.configFolder).keys.find(({ key }) => key.keyid === active)
  if (pinned) return { ok: true, detail: `${active} is pinned as ${pinned.kind}` }
  return { ok: false, detail: `${active} is not pinned: compare its fingerprint, then orch keys pin` }
}

async function clock(client: Client) {
  const { ts } = await client.call('runtime.health')
  const skew = Math.abs(Date.now() - Date.parse(ts))
  return { ok: skew <= LARGEST_SKEW_MS, detail: `${Math.round(skew)} ms between this clock and the service's` }
}
