/** The nodes of the topology: what each is called, where it is drawn and where to read on. */
export const NODE_IDS = ['gate', 'reasoning', 'receipts', 'telemetry', 'mesh', 'fleet', 'voice', 'community'] as const
type NodeId = (typeof NODE_IDS)[number]
export type AnyNodeId = NodeId | 'operator'

interface NodeSign {
  name: string
  role: string
  pos: readonly [x: number, y: number, z: number]
  check: string
  /** Operations to read on, by id; listed as far as they are served. */
  readOn: readonly string[]
}

export const SIGNS: Readonly<Record<AnyNodeId, NodeSign>> = {
  operator: {
    name: 'Operator',
    role: 'core',
    pos: [0, 0, 0],
    check: 'every component of readiness, checked for this request',
    readOn: ['runtime.readyz', 'runtime.health'],
  },
  gate: {
    name: 'Gates',
    role: 'heart',
    pos: [0, -150, 0],
    check: 'every gate fires on its built-in hit and passes its built-in miss',
    readOn: ['gates.list'],
  },
  reasoning: {
    name: 'Reasoning',
    role: 'brain',
    pos: [180, -105, 0],
    check: 'the local model answers a fixed prompt with its fixed digest',
    readOn: ['inference.health', 'inference.models'],
  },
  receipts: {
    name: 'Receipts',
    role: 'circulatory',
    pos: [250, 0, 0],
    check: 'last link recomputed and the proof of inclusion of the newest receipt verified',
    readOn: ['log.checkpoint'],
  },
  telemetry: {
    name: 'Telemetry',
    role: 'nervous',
    pos: [180, 105, 0],
    check: 'a span opened in this request is found again after an asynchronous hop and in the reply',
    readOn: ['runtime.otelStatus'],
  },
  mesh: {
    name: 'Store',
    role: 'skeleton',
    pos: [0, 150, 0],
    check: 'one row written, read back and rolled back; nodes counted',
    readOn: ['runtime.readyz'],
  },
  fleet: {
    name: 'Outbox',
    role: 'effector',
    pos: [-180, 105, 0],
    check: 'oldest waiting effect and dead letters counted',
    readOn: [],
  },
  voice: {
    name: 'Events',
    role: 'voice',
    pos: [-250, 0, 0],
    check: 'a subscriber in process receives a test event that is not a receipt',
    readOn: ['receipts.events'],
  },
  community: {
    name: 'Policy and reviews',
    role: 'community',
    pos: [-180, -105, 0],
    check: 'one request allowed and one denied by the loaded policies; waiting reviews counted',
    readOn: ['reviews.list'],
  },
}
