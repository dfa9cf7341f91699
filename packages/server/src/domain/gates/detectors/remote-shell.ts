/** A shell handed to somebody outside, in the forms in which such one-liners are passed around. */
import { around, type Command, type CommandRule, commandMatches, type Shown, sharedRule } from './command-line.ts'
import { isBlankCode, type Match, places } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const OPENS: Shown = { effect: 'external' }
const ADMITS: Shown = { effect: 'external', severity: 'hold' }

export function remoteShell(lower: string, commands: readonly Command[]): Match[] {
  return [
    ...commandMatches(lower, commands, REMOTE_COMMANDS),
    ...sockets(lower),
    ...clients(lower),
    ...admissions(lower),
  ]
}

const REACH = 120
const { shellNames: SHELL_NAMES, sockets: SOCKETS, spawns: SPAWNS } = wordLists['remote-shell']
const namesShell = (text: string): boolean => SHELL_NAMES.some((name) => text.includes(name))

/** A shell on the other side of the pipe or of the named pipe. */
const isFed = (lower: string, { from, to }: Command): boolean => {
  const lead = around(lower, from, REACH, 0)
  const tail = lower.slice(to, to + 48)
  const fed =
    lead.includes('mkfifo') ||
    lead.includes('mknod') ||
    lead.includes('sh -i') ||
    /\/(?:ba|z|k|da)?sh\s{0,4}(?:2>&1\s{0,4})?\|\s{0,4}$/.test(lead)
  return fed || /^\s{0,4}\|\s{0,4}(?:\/usr)?(?:\/bin\/)?(?:ba|z|k|da)?sh(?:[^a-z]|$)/.test(tail)
}

const netcat: CommandRule = (command, lower) => {
  const { args } = command
  const executes = args.some((arg) => arg === '--exec' || arg === '--sh-exec' || /^-[a-z]{0,6}[ec]$/.test(arg))
  const shell = args.some((arg) => namesShell(arg) || ['sh', 'bash', 'cmd'].includes(arg))
  return (executes && shell) || isFed(lower, command) ? OPENS : null
}

const piped: CommandRule = (command, lower) => (isFed(lower, command) ? OPENS : null)

/** A program given on the command line that connects and starts a shell. */
const script: CommandRule = ({ args, from }, lower) => {
  if (!args.some((arg) => /^-[a-z]{0,6}[cer]$/.test(arg) || arg.startsWith('-rsocket') || arg.includes('begin')))
    return null
  const program = around(lower, from, 0, 480)
  return SOCKETS.some((mark) => program.includes(mark)) && SPAWNS.some((mark) => program.includes(mark)) ? OPENS : null
}

const OUTSIDE = /(?:tcp|udp|openssl|sctp)(?:4|6)?(?:-connect|-listen|-l)?:/

const relay: CommandRule = ({ from }, lower) => {
  const [line = ''] = around(lower, from, 0, 240).split('\n', 1)
  return OUTSIDE.test(line) && (line.includes('exec:') || line.includes('system:')) ? OPENS : null
}

/** A port of this machine offered on another: -R in lower case. */
const forward: CommandRule = ({ args }) =>
  args.some((arg, at) => arg === '-r' && /^[a-z0-9.:*]{1,64}:[0-9]{1,5}$/.test(args[at + 1] ?? '')) ? ADMITS : null

/** What is encoded on a command line is meant not to be read. */
const encoded: CommandRule = ({ args }) =>
  args.some((arg, at) => /^-e(?:n|nc|ncodedcommand|c)?$/.test(arg) && /^[a-z0-9+/=]{8,96}$/.test(args[at + 1] ?? ''))
    ? ADMITS
    : null

export const REMOTE_COMMANDS: Readonly<Record<string, CommandRule>> = {
  ...sharedRule('nc ncat netcat', netcat),
  ...sharedRule('python perl ruby php lua node awk gawk', script),
  ...sharedRule('powershell pwsh', encoded),
  telnet: piped,
  openssl: (command, lower) => (command.args[0] === 's_client' ? piped(command, lower) : null),
  socat: relay,
  ssh: forward,
  xterm: ({ args }) => (args[0] === '-display' && /^[a-z0-9.-]{4,64}:[0-9]/.test(args[1] ?? '') ? OPENS : null),
}

/** A port check reads or writes the device once; a shell has its own input and output moved there. */
function sockets(lower: string): Match[] {
  return ['/dev/tcp/', '/dev/udp/'].flatMap((device) =>
    places(lower, device).flatMap((from): Match[] => {
      const code = lower.charCodeAt(from + device.length)
      if (Number.isNaN(code) || isBlankCode(code)) return []
      const near = around(lower, from, 64, 96)
      const moved = ['-i >', '-i &>', '-i 5<>', '0>&1', '0<&', '<&3', '<&5', '>&5', '<&196', 'while read'].some(
        (mark) => near.includes(mark),
      )
      return moved ? [{ from, to: from + device.length, ...OPENS }] : []
    }),
  )
}

/** PowerShell's client, read in a loop and evaluated. */
const clients = (lower: string): Match[] =>
  places(lower, 'net.sockets.tcpclient').flatMap((from): Match[] => {
    const near = around(lower, from, REACH, 640)
    const runs =
      near.includes('iex') ||
      near.includes('invoke-expression') ||
      near.includes('cmd.exe') ||
      near.includes('start-process')
    return near.includes('getstream') && runs ? [{ from, to: from + 21, ...OPENS }] : []
  })

/** Whoever's key is appended may log in from now on. */
const admissions = (lower: string): Match[] =>
  places(lower, 'authorized_keys').flatMap((from): Match[] => {
    const lead = around(lower, from, 64, 0)
    return lead.includes('>>') || lead.includes('tee -a') ? [{ from, to: from + 15, ...ADMITS }] : []
  })
