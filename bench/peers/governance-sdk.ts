// The TypeScript SDK of the agent governance toolkit as its README starts it: rules by the name of the action, a trust score,
// an entry in a hash chain in memory. It reads no text, signs nothing and writes nothing. Prints decisions a second of the
// processor.
import { perProcessorSecond } from '../programs/processor-rate.ts'

const sdk = new URL('./node_modules/@microsoft/agent-governance-sdk/dist/index.js', import.meta.url).href
const { AgentMeshClient } = await import(sdk)
const client = AgentMeshClient.create('bench', {
  policyRules: [
    { action: 'report.*', effect: 'allow' },
    { action: '*', effect: 'deny' },
  ],
})
await perProcessorSecond(async (text) => {
  const { decision } = await client.executeWithGovernance('report.summarise', { text })
  if (decision !== 'allow') throw new Error(`the SDK said ${decision}`)
})
