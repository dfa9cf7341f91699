import type { Client } from '@orch/client'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { readRing } from '../key-ring.ts'
import { refusalOf } from '../refusal.ts'
import { connect } from '../service.ts'
import { masked, SETTING_NAMES, type Settings } from '../settings.ts'
import { printable, type Terminal } from '../terminal.ts'

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
      await terminal.out(`${'SETTING'.padEnd(10)} VALUE  (FROM)\n`)
      for (const { name, value, origin } of shown)
        await terminal.out(`${name.padEnd(10)} ${value ?? '-'}  (${origin})\n`)
      await terminal.out(`config     ${settings.configFolder}\n\n`)
      for (const check of checks) await terminal.out(`${line(check, terminal.paint)}\n`)
    }
    return checks.every(({ ok }) => ok) ? EXIT.done : EXIT.error
  },
})

const line = ({ name, ok, detail, hint }: DoctorCheck, paint: Terminal['paint']): string =>
  `${ok ? (hint === null ? paint('green', 'ok  ') : paint('yellow', 'hint')) : paint('red', 'FAIL')} ${name.padEnd(12)} ${detail}${hint === null ? '' : `\n                  ${hint}`}`

// The checks of `orch doctor`, each taken now. A hint is what a new installation has not done yet, with the command that
// does it; a check that cannot be made although somebody configured what it asks for has failed.
type DoctorCheck = { name: string; ok: boolean; detail: string; hint: string | null }
type Finding = { ok: boolean; detail: string; hint?: string }

const MIN_NODE = 26
/** Receipts carry the service's time: a reader whose clock is far off misjudges the validity of keys. */
const LARGEST_SKEW_MS = 5_000

async function diagnose(settings: Settings): Promise<DoctorCheck[]> {
  const client = await checked('service', () => reachable(connect(settings, CALM), settings.get('token') !== null))
  const isAbsent = !client.ok && ['default', 'ORCH_PORT'].includes(settings.get('url')?.origin ?? '')
  if (isAbsent) return [checkNode(), notStarted(settings), await checked('ring', async () => ring(settings, true))]
  const service = (name: string, run: (client: Client) => Promise<Finding>) =>
    checked(name, () => run(connect(settings, CALM)))
  return [
    checkNode(),
    client,
    await service('readiness', ready),
    await checked('ring', async () => ring(settings, false)),
    await service('key pinned', (one) => keyPinned(one, settings)),
    await service('clock', clock),
  ]
}

const CALM = { timeoutMs: 5_000, retries: 0 }

async function checked(name: string, run: () => Promise<Finding>): Promise<DoctorCheck> {
  try {
    return { name, hint: null, ...(await run()) }
  } catch (error) {
    return { name, ok: false, detail: printable(refusalOf(error).lines.join('; ')), hint: null }
  }
}

/** Nobody said that a service must be there: where one of this machine would answer, none has been started yet. */
const notStarted = (settings: Settings): DoctorCheck => ({
  name: 'service',
  ok: true,
  detail: `none answers at ${settings.get('url')?.value}, where a service of this machine would`,
  hint: 'start one with orch up, or name yours with ORCH_BASE_URL or --url URL',
})

function checkNode(): DoctorCheck {
  const node = process.versions.node
  const ok = Number(node.split('.')[0]) >= MIN_NODE
  return { name: 'node', ok, detail: `${node}, at least ${MIN_NODE} is needed`, hint: null }
}

async function reachable(client: Client, hasToken: boolean): Promise<Finding> {
  const health = await client.call('runtime.health')
  const isOpen = health.auth_mode === 'open'
  const detail = `${client.baseUrl} answers, version ${health.version}, access ${health.auth_mode}${isOpen ? ': tokens are not checked' : ''}`
  const hint = 'your token is sent and nobody looks at it: whoever reaches the service may do everything'
  return { ok: health.service === 'orch', detail, ...(isOpen && hasToken ? { hint } : {}) }
}

async function ready(client: Client) {
  const report = await client.call('runtime.readyz')
  return {
    ok: report.ready,
    detail: report.ready
      ? 'every component it needs works'
      : `held up by ${report.blocking_components.join(', ')}; orch call runtime.readyz says why`,
  }
}

const PIN = 'save /cosign.pub, compare its fingerprint over another channel, then orch keys pin cosign.pub'

/** Where a service answers, its own key is what is missing, and the next check says so. */
async function ring({ configFolder }: Settings, isAlone: boolean): Promise<Finding> {
  const { keys, logKeys } = readRing(configFolder)
  const detail = `${keys.length} keys and ${logKeys.length} log keys are pinned`
  return { ok: true, detail, ...(isAlone && keys.length === 0 ? { hint: PIN } : {}) }
}

async function keyPinned(client: Client, settings: Settings) {
  const { active_keyid: active } = await client.call('keys.list')
  if (active === null) return { ok: false, detail: 'the service signs nothing; see signer at /api/readyz' }
  const pinned = readRing(settings.configFolder).keys.find(({ key }) => key.keyid === active)
  if (pinned) return { ok: true, detail: `${active} is pinned as ${pinned.kind}` }
  return { ok: true, detail: `${active} is not pinned`, hint: PIN }
}

async function clock(client: Client) {
  const { ts } = await client.call('runtime.health')
  const skew = Math.abs(Date.now() - Date.parse(ts))
  return { ok: skew <= LARGEST_SKEW_MS, detail: `${Math.round(skew)} ms between this clock and the service's` }
}
