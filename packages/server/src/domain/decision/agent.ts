/** The name of the agent as its caller stated it. It is stored in clear and marked as the caller's word. */
export const agentOf = ({ agent = null }: { agent?: string | null | undefined }) => ({
  agent,
  agent_source: agent === null ? null : ('CALLER' as const),
})
