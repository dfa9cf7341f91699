import { operation } from '../../operation.ts'
import type { BrainPort } from './pulse.ts'
import { BrainPulse, SurfacePath, SurfaceShare } from './schemas.ts'

const getDefaults = { group: 'Research', method: 'GET', scope: null } as const

/** The heartbeat of the service and the fair share of its capacity for each surface. Nothing here appends. */
export const brain = ({ brain }: { brain: BrainPort }) => [
  operation({
    ...getDefaults,
    id: 'brain.pulse',
    path: '/brain/pulse',
    summary: 'Heartbeat of this process and its stores, each number read for this request',
    description:
      'Where the kernel lets the energy counters be read, the reply waits 100 ms between two looks at them. What cannot be read is null with its reason.',
    reply: BrainPulse,
    labels: ['MEASURED', 'UNAVAILABLE'],
    example: {},
    run: () => brain.pulse(),
  }),
  operation({
    ...getDefaults,
    id: 'brain.subscribe',
    path: '/brain/subscribe/:surface_id',
    summary: 'The fair share of the request capacity that a surface gets, by its demand of the last five minutes',
    description:
      'A model of how the configured capacity would be divided; no request is held back by it. An unknown surface gets nothing and is told which there are.',
    params: SurfacePath,
    reply: SurfaceShare,
    labels: ['MODELED', 'UNAVAILABLE'],
    example: { params: { surface_id: 'organs' } },
    run: ({ params }) => brain.subscribe(params.surface_id),
  }),
]
