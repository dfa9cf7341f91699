import { BUILD_VERSION, DOCTRINE } from '@orch/core'
import { useReading } from '../data/reading.ts'
import { LabelLegend } from './help.tsx'

/** Pages of this service outside the console. */
const PLACES = [
  ['/verify', 'Offline verifier'],
  ['/organs', 'Organ catalog'],
  ['/operator-organ', 'Operator'],
  ['/sovereign-compute', 'Compute'],
  ['/models/m1', 'Model m1'],
] as const

/** A browser is led from these to the page that shows the same. */
const PROBES = [
  ['/healthz', 'Health'],
  ['/api/readyz', 'Ready'],
  ['/metrics', 'Metrics'],
  ['/openapi.json', 'Interface description'],
] as const

export function Footer() {
  const build = useReading('runtime.buildInfo', () => ({}), '')
  return (
    <footer className="foot">
      <div>
        <span>orch {BUILD_VERSION}</span>
        <span>doctrine {DOCTRINE}</span>
        <span>
          build commit <code>{build.value?.build.revision ?? 'unknown'}</code>
        </span>
      </div>
      <Ways label="Other pages" links={PLACES} />
      <Ways label="Probes" links={PROBES} />
      <details>
        <summary>What the labels mean</summary>
        <LabelLegend />
      </details>
    </footer>
  )
}

const Ways = ({ label, links }: { label: string; links: readonly (readonly [path: string, title: string])[] }) => (
  <nav aria-label={label}>
    {links.map(([path, title]) => (
      <a key={path} href={path}>
        {title}
      </a>
    ))}
  </nav>
)
