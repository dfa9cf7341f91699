/** The tools: our own as the running registry has them, and those of a gateway as it was last read. */
import { type ClockNow, measured, reading } from '@orch/core'
import { TOOL_ARGUMENTS, TOOL_DESCRIPTIONS, type ToolName } from '../../domain/tools/arguments.ts'
import type { ToolEntry } from '../../governance/contract.ts'
import type { SpineFacts, Stored } from '../readings/contract.ts'
import { freshness } from './freshness.ts'
import type { Spine } from './schemas.ts'

interface ToolRegistry {
  tool(name: string): ToolEntry | null
  /** What a credential needs to have tools run. */
  scopes: readonly string[]
}

export const buildSpine = (
  registry: ToolRegistry,
  gateway: Stored<SpineFacts> & { origin: string | null },
  now: ClockNow,
): Spine => ({
  schema: 'orch.spine/v1',
  local: localTools(registry, now),
  gateway: describeGateway(gateway),
})

function localTools(registry: ToolRegistry, now: ClockNow) {
  const { value, label, read_at } = measured(reading('running tool registry', now, () => listTools(registry)))
  return { tools: value, tool_count: value.length, label, read_at }
}

/** A tool without an effect in the registry cannot be run, and is not listed. */
const listTools = ({ tool, scopes }: ToolRegistry) =>
  (Object.keys(TOOL_ARGUMENTS) as ToolName[]).flatMap((name) => {
    const entry = tool(name)
    if (entry === null) return []
    return [{ name: entry.name, description: TOOL_DESCRIPTIONS[name], effect: entry.effect, scopes: [...scopes] }]
  })

function describeGateway(gateway: Stored<SpineFacts> & { origin: string | null }): Spine['gateway'] {
  const { value, origin } = gateway
  return {
    configured: origin !== null,
    origin,
    ...freshness(gateway),
    http_status: value?.http_status ?? null,
    server: value?.server ?? null,
    tools: value?.tools ?? [],
    resources: value?.resources ?? [],
    auth_required: value?.auth_required ?? null,
  }
}
