// How a fault shows to whoever looks: the same components must fail in readiness, in the rollup, in the topology and in
// the metrics.
import { setTimeout as pause } from 'node:timers/promises'
import { parsePrometheusText, seriesKey } from './prometheus-text.ts'
import { send } from './raw-http.ts'

export interface Views {
  readyz: string[]
  rollup: string[]
  metrics: string[]
  /** Components that the middle of the topology names, and how many of its parts fail. */
  topology: string[]
  failing: number
  /** Of the components: what each check found, why and since when. */
  components: Record<string, { state: string; since: string; detail: Record<string, unknown> }>
  degradedSince: Record<string, string>
  ready: boolean
  livez: number
  health: string
  sample(name: string, labels?: Record<string, string>): number | undefined
}

const UP = 'orch_component_up'

export async function viewsOf(url: string): Promise<Views> {
  const ready = await send(`${url}/api/readyz`)
  const rollup = await send(`${url}/api/orch/healthz`)
  const { core, counts } = await answeredTopology(url)
  const { blocking_components, degraded_components } = core.evidence
  const families = parsePrometheusText((await send(`${url}/metrics`)).text)
  const components = Object.entries(ready.json.components as Record<string, { state: string }>)
  const up = families.get(UP)!.samples
  return {
    readyz: components.filter(([, { state }]) => state !== 'OK').map(([name]) => name),
    rollup: rollup.json.degraded_reasons,
    metrics: components.map(([component]) => component).filter((component) => !up.get(seriesKey(UP, { component }))),
    topology: [...blocking_components, ...degraded_components],
    failing: counts.failing,
    components: ready.json.components,
    degradedSince: rollup.json.degraded_since,
    ready: ready.status === 200,
    livez: (await send(`${url}/api/livez`)).status,
    health: String((await send(`${url}/api/orch/v1/health`, { method: 'HEAD' })).headers['x-orch-health']),
    sample: (name, labels = {}) => families.get(name)?.samples.get(seriesKey(name, labels)),
  }
}

/** The topology once the check of its middle ended in time: on a busy machine it may not, and then it names no parts. */
async function answeredTopology(url: string) {
  for (;;) {
    const { json } = await send(`${url}/operator-organ/topology.json`)
    if (json.core.healthy !== null) return json
    await pause(100)
  }
}

/** The views once `shown` holds, or as they are after `limitMs`. */
export async function viewsOnce(url: string, shown: (views: Views) => boolean, limitMs = 5_000): Promise<Views> {
  for (const until = performance.now() + limitMs; ; await pause(100)) {
    const views = await viewsOf(url)
    if (shown(views) || performance.now() > until) return views
  }
}
