// Every setting of the command line and where it came from: flag, then ORCH_*, then ./orch.yaml, then the user's own
// file. This file alone reads the environment.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { usage } from './exit.ts'

export type ProgressMode = 'auto' | 'always' | 'never'
type SettingName = 'url' | 'token' | 'data' | 'progress'
export type Setting = { value: string; origin: string; secret: boolean }
export type SettingFlags = { url?: string | undefined; 'token-file'?: string | undefined; data?: string | undefined }

export interface Settings {
  get(name: SettingName): Setting | null
  readonly progress: ProgressMode
  /** Pinned keys and the user's settings file live here. */
  readonly configFolder: string
  readonly noColour: boolean
  /** For processes started from here. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const NAMES: Record<SettingName, { env: string; key: string; secret: boolean }> = {
  url: { env: 'ORCH_BASE_URL', key: 'base_url', secret: false },
  token: { env: 'ORCH_TOKEN', key: 'token', secret: true },
  data: { env: 'ORCH_DATA', key: 'data', secret: false },
  progress: { env: 'ORCH_PROGRESS', key: 'progress', secret: false },
}
const KEYS = Object.values(NAMES).map(({ key }) => key)

export const SETTING_NAMES = Object.keys(NAMES) as SettingName[]
/** The file of the folder a command is run in. Whoever wrote that folder wrote it. */
export const FOLDER_FILE = 'orch.yaml'

type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(flags: SettingFlags, environment: Environment = process.env): Settings {
  const configFolder = configFolderOf(environment)
  const files = [FOLDER_FILE, join(configFolder, 'config.yaml')].map(
    (path) => [path, readConfigFile(path, KEYS)] as const,
  )
  const found = new Map<SettingName, Setting>()
  for (const name of SETTING_NAMES) {
    const setting =
      fromFlag(name, flags) ??
      fromEnvironment(name, environment) ??
      fromFiles(name, files) ??
      fallback(name, environment)
    if (setting) found.set(name, setting)
  }
  return {
    get: (name) => found.get(name) ?? null,
    progress: progressOf(found.get('progress') as Setting),
    configFolder,
    noColour: (environment.NO_COLOR ?? '') !== '',
    environment,
  }
}

const setting = (name: SettingName, value: string, origin: string): Setting => ({
  value,
  origin,
  secret: NAMES[name].secret,
})

function fromFlag(name: SettingName, flags: SettingFlags): Setting | null {
  if (name === 'url' && flags.url !== undefined) return setting(name, flags.url, '--url')
  if (name === 'data' && flags.data !== undefined) return setting(name, flags.data, '--data')
  const file = flags['token-file']
  return name === 'token' && file !== undefined ? setting(name, readSecret(file), '--token-file') : null
}

function fromEnvironment(name: SettingName, environment: Environment): Setting | null {
  const { env, secret } = NAMES[name]
  const value = environment[env]
  if (value !== undefined && value !== '') return setting(name, value, env)
  const file = secret ? environment[`${env}_FILE`] : undefined
  return file ? setting(name, readSecret(file), `${env}_FILE`) : null
}

function fromFiles(name: SettingName, files: readonly (readonly [string, Map<string, string>])[]): Setting | null {
  for (const [path, values] of files) {
    const value = values.get(NAMES[name].key)
    if (value !== undefined) return setting(name, value, path)
  }
  return null
}

/** A service started here with another port is found on that port. */
function fallback(name: SettingName, environment: Environment): Setting | null {
  const port = environment.ORCH_PORT
  if (name === 'url')
    return setting(name, `http://127.0.0.1:${port ?? 8080}`, port === undefined ? 'default' : 'ORCH_PORT')
  if (name === 'data') return setting(name, './data', 'default')
  return name === 'progress' ? setting(name, 'auto', 'default') : null
}

function progressOf({ value, origin }: Setting): ProgressMode {
  if (value === 'auto' || value === 'always' || value === 'never') return value
  throw usage(`${origin}: ${JSON.stringify(value)} is not one of auto, always, never`)
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw usage(
      `--token-file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}): name another, or set ORCH_TOKEN`,
    )
  }
}

function configFolderOf(environment: Environment): string {
  const base = environment.XDG_CONFIG_HOME || environment.APPDATA || join(homedir(), '.config')
  return join(base, 'orch')
}

/** Enough to recognise a secret by, never enough to use it. */
export function masked({ value, secret }: Setting): string {
  if (!secret) return value
  return `${value.length < 12 ? '' : value.slice(0, 2)}... (${value.length} characters)`
}

// The settings file: `key: value` lines and comments, a strict subset of YAML. Anything else is an error with its line,
// so that nothing is silently read as something it does not say.
const LINE = /^([a-z][a-z0-9_]*):[ \t]+(.*)$/
const PLAIN = /^[^\s"'#&*!|>%@`{}[\],?:-][^#]*$/
const QUOTED = /^"([^"\\]*)"$|^'([^']*)'$/

export function readConfigFile(path: string, known: readonly string[]): Map<string, string> {
  const values = new Map<string, string>()
  if (!existsSync(path)) return values
  readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .forEach((line, at) => {
      const text = line.replace(/(^|\s)#.*$/, '').trimEnd()
      if (text !== '') readLine(text, `${path}:${at + 1}`, known, values)
    })
  return values
}

function readLine(text: string, where: string, known: readonly string[], values: Map<string, string>): void {
  const [, key, raw] = LINE.exec(text) ?? []
  if (key === undefined || raw === undefined)
    throw usage(`${where}: not a line such as base_url: "https://orch.example"`)
  if (!known.includes(key)) throw usage(`${where}: ${key} is not one of ${known.join(', ')}`)
  if (values.has(key)) throw usage(`${where}: ${key} is set twice; keep one line such as ${key}: "value"`)
  const quoted = QUOTED.exec(raw)
  const value = quoted ? (quoted[1] ?? quoted[2]) : PLAIN.test(raw) ? raw : undefined
  if (value === undefined) throw usage(`${where}: put the value in quotes, such as ${key}: "value"`)
  values.set(key, value)
}
