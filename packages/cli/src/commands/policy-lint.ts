import { policyCommand } from '../policy-command.ts'

export default policyCommand({
  job: 'lint',
  summary: 'Check policies and tools as the service would before it takes them over',
  usage: '[--policies FOLDER] [--tools FILE]',
  example: 'orch policy lint --tools tools.json',
})
