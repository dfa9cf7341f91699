// Which merges changed which surfaces, for the build record. A surface is named as its operations are: the first word of
// their ids, looked up in the committed interface description, so that the names are those the service lists.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnvironment } from '../packages/server/src/config/config.ts'

const SURFACES = 'packages/server/src/features'
const MAX_CHARACTERS = 256

interface RecordedMerge {
  subject: string
  surfaces: string[]
}

/** Needs git and a checkout. The first parent is the line that pull requests were merged into. */
export function mergesOf(root: string): RecordedMerge[] {
  const names = surfaceNames(root)
  return history(root)
    .split('\u001e')
    .map((entry) => entry.trim().split('\n'))
    .map(([subject = '', ...files]) => ({ subject: lineOf(subject), surfaces: touched(files, names) }))
    .filter(({ subject, surfaces }) => /#\d/.test(subject) && surfaces.length > 0)
}

function history(root: string): string {
  const format = ['--first-parent', '-m', '--name-only', '--format=%x1e%s']
  const most = 64 * 1024 * 1024
  const options = { cwd: root, env: gitEnvironment(), encoding: 'utf8', maxBuffer: most } as const
  return execFileSync('git', ['log', ...format, '--', SURFACES], options)
}

const lineOf = (subject: string): string => [...subject.replaceAll(/\p{Cc}/gu, ' ')].slice(0, MAX_CHARACTERS).join('')

const touched = (files: readonly string[], names: ReadonlyMap<string, readonly string[]>): string[] => {
  const folders = files.filter((file) => file.startsWith(`${SURFACES}/`)).map((file) => file.split('/')[4] ?? '')
  return [...new Set(folders.flatMap((folder) => names.get(folder) ?? []))].sort()
}

/** By folder: the names of the surfaces whose operations are declared in it. */
function surfaceNames(root: string): Map<string, string[]> {
  const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const ids = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId))
  const entries = readdirSync(join(root, SURFACES), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return new Map(
    entries.map(({ name: folder }) => {
      const text = sourceOf(join(root, SURFACES, folder))
      const declared = ids.filter((id) => text.includes(`'${id}'`)).map((id) => id.split('.', 1)[0] as string)
      return [folder, [...new Set(declared)]]
    }),
  )
}

const sourceOf = (folder: string): string =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
