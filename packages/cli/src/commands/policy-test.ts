import { usage } from '../exit.ts'
import { policyCommand } from '../policy-command.ts'

export default policyCommand({
  job: 'test',
  summary: 'Ask the policies about the cases of a file and compare; 0 only when all agree',
  usage: 'CASES [--policies FOLDER] [--tools FILE]',
  example: 'orch policy test cases.json --tools tools.json',
  argsOf({ args }) {
    if (args.length !== 1)
      throw usage('name one file of cases: [{"tool": "deploy", "effect": "write", "expect": "review"}]')
    return [args[0]!]
  },
})
