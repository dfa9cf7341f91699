import { command } from '../command.ts'
import { completionScript, SHELLS } from '../completion.ts'
import { EXIT, usage } from '../exit.ts'

export default command({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  usage: 'bash|zsh|fish',
  flags: {},
  example: 'orch completion bash',
  async run({ args, flags, terminal }) {
    const shell = SHELLS.find((one) => one === args[0])
    if (!shell || args.length > 1) throw usage(`name a shell: ${SHELLS.join(', ')}`)
    const script = await completionScript(shell)
    await terminal.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script)
    return EXIT.done
  },
})
