/** The name of the agent as its caller stated it. It is stored in clear and marked as the caller's word. */

interface StatedAgent {
  agent: string | null
  agent_source: 'CALLER' | null
}

export const agentOf = ({ agent = null }: { agent?: string | null | undefined }): StatedAgent => ({
  agent,
  agent_source: agent === null ? null : 'CALLER',
})
