// A real Chromium for browser tests: the npm package's where it supports the platform, else ORCH_CHROMIUM, else one
// installed on the machine, else a reason to skip that is said aloud.
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { cachedFolder, isRoot } from './private-folder.ts'

const PACKAGE = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium', import.meta.url))
/** The headless shell first: the same pages cost it a sixth less processor time. */
const SYSTEM_NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

type Source = { kind: 'path'; path: string } | { kind: 'package' } | { kind: 'none'; reason: string }

/** Why no browser can be started here, for `t.skip`; undefined where one can. */
export function chromiumUnavailable(): string | undefined {
  const source = browserSource()
  return source.kind === 'none' ? source.reason : undefined
}

export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const source = browserSource()
  if (source.kind === 'none') throw new Error(source.reason)
  const args = [...FLAGS, ...more, ...(isRoot() ? ['--no-sandbox'] : [])]
  if (source.kind === 'path') return chromium.launch({ executablePath: source.path, headless: true, args })
  return launchPackaged(args)
}

export function browserSource(
  env: NodeJS.ProcessEnv = process.env,
  platform = `${process.platform}-${process.arch}`,
): Source {
  if (env.ORCH_CHROMIUM) {
    if (isExecutable(env.ORCH_CHROMIUM)) return { kind: 'path', path: env.ORCH_CHROMIUM }
    return { kind: 'none', reason: `SKIPPED: ORCH_CHROMIUM=${env.ORCH_CHROMIUM} is not an executable file` }
  }
  if (platform === 'linux-x64' && existsSync(PACKAGE)) return { kind: 'package' }
  const installed = installedBrowser(env.PATH ?? '')
  if (installed) return { kind: 'path', path: installed }
  return {
    kind: 'none',
    reason: `SKIPPED: no Chromium package for ${platform}; install chromium or set ORCH_CHROMIUM=/path`,
  }
}

function installedBrowser(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return SYSTEM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function launchPackaged(args: string[]): Promise<Browser> {
  const home = await unpackedPackage()
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(home, 'al2023', 'lib'),
    FONTCONFIG_PATH: join(home, 'fonts'),
    // Of the fonts, which would otherwise lie in the home of whoever runs the tests.
    XDG_CACHE_HOME: join(home, 'cache'),
  } as Record<string, string>
  // The package holds the headless shell, built to run without a zygote process and without the sandbox helper.
  const shell = [...args, '--no-sandbox', '--no-zygote']
  return chromium.launch({ executablePath: join(home, 'chromium'), headless: true, args: shell, env })
}

/** The package reuses whatever lies in the temp folder, of whatever version: it gets a temp folder per version. */
async function unpackedPackage(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  return cachedFolder(`chromium-${version}`, unpackInto)
}

// In a process of its own: the package decides by environment variables and writes to them. It unpacks its own NSS
// libraries only where the runtime variable names its target platform.
async function unpackInto(folder: string): Promise<void> {
  const source = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' },
  })
  // The shipped file names /tmp/fonts, a folder anybody can fill.
  writeFileSync(join(folder, 'fonts', 'fonts.conf'), FONT_CONFIGURATION)
}

const FONT_CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`
