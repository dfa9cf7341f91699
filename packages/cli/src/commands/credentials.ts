// Who may use a service: the file that ORCH_CREDENTIALS names. A running service reads it again within five seconds.
import { existsSync } from 'node:fs'
import { command, type Flags, type Invocation, showList } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { parseWord } from '../forgiving.ts'
import { runServerTool } from '../server-process.ts'
import type { Column } from '../table.ts'

const FILE_FLAG = {
  file: { type: 'string', value: 'FILE', help: 'the credential file (default: what ORCH_CREDENTIALS names)' },
} as const

type Entry = { key_id: string; owner_id: string; namespace: string; may: string; state: string }
type Call<F extends Flags = typeof FILE_FLAG> = Invocation<F & typeof FILE_FLAG>

const ROLES = ['user', 'operator', 'admin']

export const add = command({
  name: 'credentials add',
  summary: 'Make a token for somebody and write its digest into the credential file; the token is shown once',
  usage: 'NAME [--role ROLE | --scope SCOPE ...] [--owner NAME] [--namespace NAME] [--file FILE]',
  maxArguments: 1,
  flags: {
    role: { type: 'string', value: 'ROLE', help: `${ROLES.join(', ')} (default user)` },
    scope: { type: 'string', multiple: true, value: 'SCOPE', help: 'a scope such as receipts:read, instead of a role' },
    owner: { type: 'string', value: 'NAME', help: 'whose data it reads and writes (default: NAME)' },
    namespace: { type: 'string', value: 'NAME', help: 'namespace of that data (default public)' },
    ...FILE_FLAG,
  },
  example: 'orch credentials add alice --role operator --file credentials.json',
  async run(call) {
    const { role, scope = [], owner, namespace } = call.flags
    const name = nameOf(call, 'add')
    if (role !== undefined && scope.length > 0)
      throw usage('give --role or --scope, not both: orch credentials add --help')
    const rights = scope.length > 0 ? scope.flatMap((one) => ['--scope', one]) : ['--role', parseRole(role ?? 'user')]
    const more = [
      ...(owner === undefined ? [] : ['--owner', owner]),
      ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ]
    const made = await edit(call, 'add', [name, ...rights, ...more])
    await call.terminal.out(call.flags.json ? `${JSON.stringify(made)}\n` : `${made.token}\n`)
    call.terminal.say(`token of ${name}, shown once: hand it over as ORCH_TOKEN or in a file for --token-file`)
    return EXIT.done
  },
})

const parseRole = (role: string): string => parseWord('--role', role, ROLES)

export const revoke = command({
  name: 'credentials revoke',
  summary: 'Close a credential; its entry stays, so that receipts keep naming who acted',
  usage: 'NAME [--file FILE]',
  maxArguments: 1,
  flags: FILE_FLAG,
  example: 'orch credentials revoke alice --file credentials.json',
  async run(call) {
    const closed = await edit(call, 'revoke', [nameOf(call, 'revoke')])
    await call.terminal.out(call.flags.json ? `${JSON.stringify(closed)}\n` : `revoked ${closed.key_id}\n`)
    return EXIT.done
  },
})

const MAY_WIDTH = 16

/** Scopes that do not fit their column: a list that is cut off says of nobody what they may do. */
const scopesOf = ({ may }: Entry): string[] => (may.length > MAY_WIDTH ? may.split(',') : [])

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'NAME', width: 19, value: ({ key_id }) => key_id },
  { title: 'OWNER', width: 16, value: ({ owner_id }) => owner_id },
  { title: 'NAMESPACE', width: 12, value: ({ namespace }) => namespace },
  { title: 'MAY', width: MAY_WIDTH, value: (entry) => (scopesOf(entry).length > 0 ? 'the scopes below' : entry.may) },
  {
    title: 'STATE',
    width: 7,
    value: ({ state }) => state,
    colour: ({ state }) => (state === 'active' ? null : 'yellow'),
  },
]

export const ls = command({
  name: 'credentials ls',
  summary: 'List the credentials of the file; tokens are not in it',
  usage: '[--file FILE]',
  flags: { jsonl: { type: 'boolean', help: 'one JSON object per credential' }, ...FILE_FLAG },
  example: 'orch credentials ls --file credentials.json',
  async run(call) {
    const file = fileOf(call)
    if (!existsSync(file)) throw usage(`FILE ${file} does not exist: orch credentials add NAME --file ${file} makes it`)
    const found = await edit(call, 'ls', [])
    const empty = 'no credentials yet: orch credentials add NAME makes one'
    return showList(found, found.credentials as Entry[], call.flags, call.terminal, {
      columns: COLUMNS,
      notes: scopesOf,
      empty,
    })
  },
})

function nameOf({ args }: Pick<Call, 'args'>, job: string): string {
  const [name] = args
  if (name === undefined) throw usage(`give one NAME: orch credentials ${job} alice`)
  return name
}

function edit(
  call: Pick<Call, 'flags' | 'settings' | 'terminal' | 'interrupted'>,
  job: string,
  args: readonly string[],
) {
  return runServerTool('credentials', job, ['--file', fileOf(call), ...args], call)
}

function fileOf({ flags, settings }: Pick<Call, 'flags' | 'settings'>): string {
  const file = flags.file ?? settings.environment.ORCH_CREDENTIALS
  if (!file) throw usage('no credential file is named: give --file FILE, or set ORCH_CREDENTIALS as for the service')
  return file
}
