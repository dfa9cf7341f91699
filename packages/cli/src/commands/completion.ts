import { COMMON_FLAGS, command } from '../command.ts'
import { COMMAND_NAMES, GROUPS, loadCommand } from '../commands.ts'
import { EXIT, usage } from '../exit.ts'
import { TOPICS } from '../help-text.ts'
import { ORGAN_IDS } from './organ.ts'

export default command({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  usage: 'bash|zsh|fish',
  maxArguments: 1,
  flags: {},
  example: 'orch completion bash',
  async run({ args, flags, terminal }) {
    const [given] = args
    if (given === undefined)
      throw usage(`no SHELL is named: give one of ${SHELLS.join(', ')}, as in orch completion bash`)
    const shell = SHELLS.find((one) => one === given)
    if (!shell) throw usage(`SHELL ${given} is not one of ${SHELLS.join(', ')}: orch completion bash`)
    const script = await completionScript(shell)
    await terminal.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script)
    return EXIT.done
  },
})

// The scripts are made from the table of commands. They hold words only: pressing Tab starts nothing.
const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

type Entry = { name: string; summary: string; words: string[]; values: [flag: string, words: readonly string[]][] }

async function completionScript(shell: Shell): Promise<string> {
  const entries = await Promise.all(COMMAND_NAMES.map(entryOf))
  return { bash, zsh, fish }[shell](entries)
}

async function entryOf(name: string): Promise<Entry> {
  const { flags, summary } = await loadCommand(name)
  const { OPERATIONS } = await import('@orch/client')
  const own: Record<string, string[]> = {
    help: [...COMMAND_NAMES, ...Object.keys(TOPICS)],
    completion: [...SHELLS],
    call: Object.keys(OPERATIONS),
    'organ run': ORGAN_IDS,
  }
  const values = Object.entries(flags).flatMap(([flag, { words = [] }]): Entry['values'] =>
    words.length === 0 ? [] : [[flag, words]],
  )
  const dashed = Object.keys({ ...flags, ...COMMON_FLAGS }).map((flag) => `--${flag}`)
  return { name, summary, words: [...dashed, ...(own[name] ?? [])], values }
}

const topWords = (): string[] => [...new Set([...GROUPS, ...COMMAND_NAMES.filter((name) => !name.includes(' '))])]
const membersOf = (group: string): string[] =>
  COMMAND_NAMES.filter((name) => name.startsWith(`${group} `)).map((name) => name.split(' ')[1]!)

function bash(entries: readonly Entry[]): string {
  return `# bash completion for orch
_orch() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${topWords().join(' ')}" -- "$word"))
    return
  fi
  case "$line" in
${GROUPS.map((group) => `    ${group})\n      if [ "$COMP_CWORD" -eq 2 ]; then\n        COMPREPLY=($(compgen -W "${membersOf(group).join(' ')}" -- "$word"))\n        return\n      fi\n      line="$line \${COMP_WORDS[2]}" ;;`).join('\n')}
  esac
  case "$line" in
${entries.map(({ name, words }) => `    "${name}") words="${words.join(' ')}" ;;`).join('\n')}
  esac
  case "$line \${COMP_WORDS[COMP_CWORD-1]}" in
${entries.flatMap(({ name, values }) => values.map(([flag, words]) => `    "${name} --${flag}") COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")); return ;;`)).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case "$word" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$word")) ;; esac
}
complete -o filenames -F _orch orch
`
}

/** zsh reads the bash form through its own adapter. */
const zsh = (entries: readonly Entry[]): string => `#compdef orch
autoload -U +X bashcompinit && bashcompinit
${bash(entries)}`

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fish(entries: readonly Entry[]): string {
  const top = `complete -c orch -n __fish_use_subcommand -f -a ${quoted(topWords().join(' '))}`
  const groups = GROUPS.map(
    (group) =>
      `complete -c orch -n '__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${membersOf(group).join(' ')}' -f -a ${quoted(membersOf(group).join(' '))}`,
  )
  const lines = entries.flatMap(({ name, words, values }) => {
    const seen = name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    const on = `complete -c orch -n ${quoted(seen)}`
    return [
      `${on} -a ${quoted(words.join(' '))}`,
      ...values.map(([flag, taken]) => `${on} -l ${flag} -x -a ${quoted(taken.join(' '))}`),
    ]
  })
  return `# fish completion for orch\n${[top, ...groups, ...lines].join('\n')}\n`
}
