// How a fault shows to whoever looks: the same components must fail in readiness, in the rollup and in the metrics.
import { setTimeout as pause } from 'node:timers/promises'
import { parsePrometheusText, seriesKey } from './prometheus-text.ts'
import { send } from './raw-http.ts'

export interface Views {
  readyz: string[]
  rollup: string[]
  metrics: string[]
  ready: boolean
  livez: number
  health: string
  sample(name: string, labels?: Record<string, string>): number | undefined
}

const UP = 'orch_component_up'

export async function viewsOf(url: string): Promise<Views> {
  const ready = await send(`${url}/api/readyz`)
  const rollup = await send(`${url}/api/orch/healthz`)
  const families = parsePrometheusText((await send(`${url}/metrics`)).text)
  const components = Object.entries(ready.json.components as Record<string, { state: string }>)
  const up = families.get(UP)!.samples
  return {
    readyz: components.filter(([, { state }]) => state !== 'OK').map(([name]) => name),
    rollup: rollup.json.degraded_reasons,
    metrics: components.map(([component]) => component).filter((component) => !up.get(seriesKey(UP, { component }))),
    ready: ready.status === 200,
    livez: (await send(`${url}/api/livez`)).status,
    health: String((await send(`${url}/api/orch/v1/health`, { method: 'HEAD' })).headers['x-orch-health']),
    sample: (name, labels = {}) => families.get(name)?.samples.get(seriesKey(name, labels)),
  }
}

/** The views once `shown` holds, or as they are after `limitMs`. */
export async function viewsOnce(url: string, shown: (views: Views) => boolean, limitMs = 5_000): Promise<Views> {
  for (const until = performance.now() + limitMs; ; await pause(100)) {
    const views = await viewsOf(url)
    if (shown(views) || performance.now() > until) return views
  }
}
