/** Commands that take away what a cluster, a cloud, a repository or a store holds. All of them are somebody's daily work,
 *  so they wait for a person and are not refused. */
import {
  around,
  type Command,
  type CommandRule,
  commandMatches,
  hasFlag,
  literalMatches,
  operands,
  plain,
  type Shown,
  sharedRule,
} from './command-line.ts'
import { isLetterCode, type Match, places, runStart } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const TAKES: Shown = { effect: 'destructive', severity: 'hold' }

export function infrastructureCommands(lower: string, commands: readonly Command[]): Match[] {
  return [
    ...commandMatches(lower, commands, INFRASTRUCTURE_COMMANDS),
    ...literalMatches(lower, STORE_CALLS, TAKES),
    ...collectionDrops(lower),
  ]
}

const isRehearsal = (command: Command): boolean =>
  command.args.some(
    (arg) =>
      arg.startsWith('--dry-run') || arg === '--dryrun' || arg === '--what-if' || arg === '-whatif' || arg === '--help',
  )

/** `<name>` stands for a name: the synopsis of a manual. */
const isSynopsis = ({ args }: Command): boolean => args.some((arg) => /^<[a-z_ -]{1,32}>/.test(arg))

/** Words of a sentence, which no command has for a target. */
const PROSE = new Set(
  'the a an and or is are was will would command commands in with to if when on from deletes removes'.split(' '),
)
const isTarget = (arg: string | undefined): boolean => arg !== undefined && arg !== '' && !PROSE.has(plain(arg))

/** One of the verbs among the words of a command, and something it acts on. */
const taking =
  (verbs: readonly string[], needsTarget = true): CommandRule =>
  (command) => {
    if (isRehearsal(command) || isSynopsis(command)) return null
    const at = command.args.findIndex((arg) => verbs.includes(plain(arg)))
    if (at < 0 || at > 8) return null
    const next = command.args[at + 1]
    return !needsTarget || isTarget(next) ? TAKES : null
  }

const terraform: CommandRule = (command) => {
  const words = operands(command)
  if (hasFlag(command, '-destroy', '--destroy') && words[0] === 'apply') return TAKES
  if (words[0] === 'state') return words[1] === 'rm' && words.length > 2 ? TAKES : null
  if (words[0] === 'workspace') return words[1] === 'delete' ? TAKES : null
  return taking(['destroy'], false)(command, '')
}

const cloud = taking(wordLists.infrastructure.cloudVerbs, false)

/** Its verbs are one word with what they act on: delete-stack, terminate-instances. */
const amazon: CommandRule = (command, lower) => {
  if (isRehearsal(command) || isSynopsis(command)) return null
  const action = operands(command).find((arg) =>
    /^(?:delete|terminate|purge|deregister|batch-delete|schedule-key-deletion|disable-key|remove|release|reset|revoke)(?:-[a-z]|$)/.test(
      arg,
    ),
  )
  if (action !== undefined) return TAKES
  return operands(command)[0] === 's3' ? taking(['rb', 'rm'])(command, lower) : null
}

const SHARED = new Set(['main', 'master', 'trunk', 'production', 'prod', 'release', 'develop'])

/** A branch of all: by its name, as the right side of a refspec, or forced by a plus. */
function branchOf(ref: string): string {
  const target = plain(ref).slice(plain(ref).lastIndexOf(':') + 1)
  return target.replace(/^\+/, '').replace(/^refs\/heads\//, '')
}

const RESET_REACH = 120

/** `git reset --hard HEAD~50 && git push -f`: what was taken back here is taken from everybody. */
const isForcedReset = (command: Command, refs: readonly string[], lower: string): boolean =>
  refs.length < 2 &&
  hasFlag(command, '--force', '-f') &&
  /reset --hard [a-z0-9]/.test(around(lower, command.from, RESET_REACH, 0))

const git: CommandRule = (command, lower) => {
  const words = operands(command)
  if (words[0] === 'clean') return words.slice(1).some((path) => /^[/~]\/?$/.test(path)) ? TAKES : null
  const at = words.indexOf('push')
  if (at < 0 || at > 2) return null
  const refs = words.slice(at + 1)
  const forced = hasFlag(command, '--force', '--force-with-lease', '-f', '--mirror')
  if (isForcedReset(command, refs, lower)) return TAKES
  const shared = (ref: string): boolean => SHARED.has(branchOf(ref))
  const removes =
    (hasFlag(command, '--delete', '-d') && refs.some(shared)) || refs.some((ref) => ref.startsWith(':') && shared(ref))
  return removes || hasFlag(command, '--mirror') || refs.some((ref) => shared(ref) && (forced || ref.startsWith('+')))
    ? TAKES
    : null
}

/** A request to delete, to a machine that is not this one. */
const request: CommandRule = ({ args }) => {
  const deletes = args.some(
    (arg, at) =>
      arg === '-xdelete' ||
      arg === '--request=delete' ||
      ((arg === '-x' || arg === '--request' || arg === '-method') && args[at + 1] === 'delete'),
  )
  const url = deletes ? (args.find((arg) => arg.includes('://')) ?? '') : ''
  return url !== '' && !/:\/\/(?:localhost|127\.0\.0\.1|\[::1\])/.test(url) ? TAKES : null
}

const docker: CommandRule = (command) => {
  const words = operands(command)
  if (words[0] === 'system' && words[1] === 'prune')
    return hasFlag(command, '-a', '--all', '--volumes', '-af') ? TAKES : null
  if (words[0] === 'volume') return words[1] === 'rm' || words[1] === 'prune' ? TAKES : null
  const everything = command.args.some((arg) => arg.startsWith('$(docker'))
  return everything && ['rm', 'rmi', 'kill', 'stop'].includes(words[0] ?? '') ? TAKES : null
}

const deleting = taking(['delete'])

/** Nothing is left running: of all at once, or of what serves everybody. */
const kubernetes: CommandRule = (command, lower) => {
  const stopped = hasFlag(command, '--replicas') && command.args.some((arg) => plain(arg) === '--replicas=0')
  const wide = hasFlag(command, '--all') || command.args.some((arg) => /(?:^|[-/=])prod(?:uction)?$/.test(plain(arg)))
  if (command.args.includes('scale') && stopped && wide && !isRehearsal(command)) return TAKES
  return deleting(command, lower)
}

const RESOURCE =
  /^(?:ns|namespaces?|po|pods?|deploy|deployments?|svc|services?|sts|statefulsets?|ds|daemonsets?|pvc?|persistentvolume(?:claim)?s?|nodes?|no|secrets?|cm|configmaps?|crds?|jobs?|cronjobs?|ing|ingress|all)(?:\/|$)/

/** The alias everybody has for kubectl: one letter is read as it only before a verb and a kind of resource. */
const kubernetesAlias: CommandRule = (command, lower) => {
  const [verb = '', kind = ''] = operands(command)
  return ['delete', 'scale'].includes(verb) && RESOURCE.test(kind) ? kubernetes(command, lower) : null
}

export const INFRASTRUCTURE_COMMANDS: Readonly<Record<string, CommandRule>> = {
  ...sharedRule('kubectl oc', kubernetes),
  ...sharedRule('gcloud gsutil bq az azcopy doctl oci linode', cloud),
  ...sharedRule('eksctl argocd gh', deleting),
  ...sharedRule('terraform tofu', terraform),
  ...sharedRule('pulumi cdk', taking(['destroy'], false)),
  ...sharedRule('npm pnpm yarn', taking(['unpublish'])),
  ...sharedRule('cargo gem', taking(['yank'])),
  ...sharedRule('docker podman', docker),
  ...sharedRule('flushall flushdb', ({ from }, lower) => (beginsText(lower, from) ? TAKES : null)),
  k: kubernetesAlias,
  helm: taking(['uninstall', 'delete']),
  terragrunt: taking(['destroy', 'destroy-all'], false),
  aws: amazon,
  flyctl: taking(['destroy']),
  heroku: taking(['apps:destroy', 'pg:reset', 'addons:destroy'], false),
  rclone: taking(['purge', 'delete']),
  git,
  vault: taking(['delete', 'destroy', 'disable']),
  curl: request,
  'redis-cli': taking(['flushall', 'flushdb'], false),
  dropdb: ({ args }) => (operands({ name: '', args, from: 0, to: 0 }).some(isTarget) ? TAKES : null),
  mysqladmin: taking(['drop']),
  rabbitmqctl: taking(['reset', 'force_reset', 'delete_vhost', 'delete_queue'], false),
  etcdctl: taking(['del']),
}

const beginsText = (lower: string, from: number): boolean => from === 0 || '"\'`\n;'.includes(lower.charAt(from - 1))

const STORE_CALLS = ['db.dropdatabase()', 'dropdatabase()', 'deletemany({})']

/** `db.orders.drop()`. */
const collectionDrops = (lower: string): Match[] =>
  places(lower, '.drop()').flatMap((at) => {
    const from = runStart(lower, at, isDotted, 64)
    return lower.startsWith('db.', from) ? [{ from, to: at + 7, ...TAKES }] : []
  })

const isDotted = (code: number): boolean => isLetterCode(code) || code === 46 || code === 95
