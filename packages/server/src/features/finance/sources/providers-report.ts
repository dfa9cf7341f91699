/** What can be asked, what is missing for it and how the newest attempts ended. Nothing is asked to find out. */
import { flags, type SourceId } from '../../../domain/observation.ts'
import type { Parameter } from './parameters.ts'
import type { FinanceProviders, SourceRow } from './schemas.ts'
import type { Source } from './source.ts'
import { REQUIRED_ENVIRONMENT, type SourceTable } from './table.ts'

export type LastAttempt = NonNullable<SourceRow['last_attempt']>

/** How a provider stands now. */
interface ProviderState {
  overridden: boolean
  missing: string | null
  cooldown_until: string | null
  budget: { limit: number; used: number } | null
}

const toParameter = (name: string, parameter: Parameter): SourceRow['parameters'][number] => {
  const { type, required, default: fallback, ...rest } = parameter
  const bounds: Partial<Record<string, unknown>> = rest
  return {
    ...{ name, type, default: fallback, required },
    bounds: {
      minimum: (bounds.minimum as number | undefined) ?? null,
      maximum: (bounds.maximum as number | undefined) ?? null,
      pattern: (bounds.pattern as string | undefined) ?? null,
      choices: (bounds.choices as string[] | undefined) ?? null,
      note: parameter.description ?? null,
    },
  }
}

function toSourceRow(source: Source, provider: ProviderState, attempt: LastAttempt | null): SourceRow {
  return {
    id: source.id,
    provider: source.provider,
    operation: `GET /api/orch/v1/finance/observations/${source.id}`,
    parameters: Object.entries(source.parameters).map(([name, parameter]) => toParameter(name, parameter)),
    ttl_seconds: source.ttlSeconds,
    required_environment: [...(REQUIRED_ENVIRONMENT[source.provider] ?? [])],
    configuration: provider.missing === null ? 'PRESENT' : 'MISSING',
    upstream_overridden: provider.overridden,
    cooldown_until: provider.cooldown_until,
    budget: provider.budget,
    last_attempt: attempt,
    observed_connection: attempt?.state ?? 'NOT_PROBED',
  }
}

export async function toProviders(
  table: SourceTable,
  state: (provider: string) => Promise<ProviderState>,
  lastAttempt: (id: SourceId) => LastAttempt | null,
): Promise<FinanceProviders> {
  const rows = [...table.values()].map(async (source) =>
    toSourceRow(source, await state(source.provider), lastAttempt(source.id)),
  )
  return {
    ...{ schema: 'orch.finance.providers/v1', label: 'STRUCTURAL-ONLY', probed: false },
    sources: await Promise.all(rows),
    ...flags,
  }
}
