/** Opens the record of what this process can compute with: the machine, the pool and the configured models. */
import type { Upstreams } from '../../adapters/models/contract.ts'
import type { JsonExchange, Outbound } from '../../adapters/outbound/contract.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import { ComputeError } from '../../platform/compute/job.ts'
import { shared } from '../../platform/shared-result.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import { type Arithmetic, RUNS, SIZE } from './arithmetic.ts'
import { lookAtGpus } from './io/gpu.ts'
import { lookAtMemory, lookAtProcessor } from './io/machine.ts'
import { askEmbeddings, askModels, type ModelEndpoint } from './io/models.ts'
import { type Answer, type Answered, type Endpoint, localModel, type ModelGate, toFound } from './models.ts'
import { type Found, type Probe, runProbe } from './probe.ts'
import { toReport } from './report.ts'
import type { SovereignPort } from './schemas.ts'

const KEEP_MS = 30_000
const ARITHMETIC_MS = 1_800

interface Needs {
  clock: Clock
  compute: Compute
  outbound: Pick<Outbound, 'get'>
  upstreams: Pick<Upstreams, 'targets'>
  m1: { gate(): Promise<ModelGate> }
  models: readonly ModelEndpoint[]
  embeddings: (Endpoint & { url: string; exchange: JsonExchange }) | null
  /** The tool that lists graphics processors, where it is another than the driver's own. */
  gpuTool?: string
}

export function openSovereignCompute(needs: Needs): { sovereignCompute: SovereignPort } {
  const { clock, upstreams, m1, models, embeddings, outbound, gpuTool } = needs
  const arithmetic = arithmeticProbe(needs.compute)
  const asked = (endpoint: Endpoint, ask: () => Promise<Answer>): (() => Promise<Answered>) =>
    shared({ keepMs: KEEP_MS, monotonic: () => clock.monotonic() }, async () => {
      const at = clock.now()
      return { endpoint, answer: await ask(), at }
    })
  const askedModels = models.map((endpoint) => asked(endpoint, () => askModels(outbound, endpoint)))
  const askedVectors = embeddings ? [asked(embeddings, () => askEmbeddings(embeddings.exchange, embeddings.url))] : []
  const everyAnswer = (endpoints: readonly (() => Promise<Answered>)[]) => Promise.all(endpoints.map((ask) => ask()))
  const probes: Probe[] = [
    { id: 'cpu', name: 'Processor', source: 'os.cpus, os.loadavg and cpu.max of the cgroup', look: lookAtProcessor },
    {
      id: 'memory',
      name: 'Memory',
      source: 'os.totalmem, os.freemem and process.constrainedMemory',
      look: lookAtMemory,
    },
    { id: 'gpu', name: 'Graphics processors', source: 'nvidia-smi', look: (signal) => lookAtGpus(signal, gpuTool) },
    {
      ...{ id: 'local_model', name: 'Embedded model', source: 'the gate of the model, which repeats a forward pass' },
      look: () => localModel(upstreams.targets(), () => m1.gate()),
    },
    {
      ...{ id: 'external_model', name: 'Configured models', source: 'GET /models of each configured endpoint' },
      look: async () => toFound(await everyAnswer(askedModels), 'ORCH_UPSTREAM_URL and ORCH_UPSTREAMS are not set'),
    },
    {
      ...{ id: 'embeddings', name: 'Embeddings', source: 'one word embedded by the configured endpoint' },
      look: async () => toFound(await everyAnswer(askedVectors), 'ORCH_ORGAN_N9_URL is not set'),
    },
    {
      ...{
        id: 'arithmetic',
        name: 'Arithmetic',
        source: `${RUNS} products of ${SIZE} x ${SIZE} doubles in a worker thread`,
      },
      look: arithmetic,
    },
  ]
  // Whoever asks while it is being made shares it: nobody can make the machine measure itself twice at once.
  const report = singleFlight(async () => {
    const capabilities = await Promise.all(probes.map((probe) => runProbe(probe, clock)))
    return toReport(capabilities, isoNow(clock))
  })
  return { sovereignCompute: report }
}

function arithmeticProbe(compute: Compute): (signal: AbortSignal) => Promise<Found> {
  const job = compute.register<object, Arithmetic>({
    name: 'sovereign-compute-arithmetic',
    module: new URL('./arithmetic.ts', import.meta.url),
    function: 'measureArithmetic',
    deadlineMs: ARITHMETIC_MS,
  })
  return async (signal) => {
    try {
      const { value } = await job({}, { signal })
      const rounded = (number: number) => Math.round(number * 1e3) / 1e3
      const facts = {
        gflop_per_s_median: rounded(value.gflops),
        median_ms: rounded(value.median_ms),
        runs_ms: value.runs_ms.map(rounded),
        checksum: value.checksum,
      }
      return { tier: 'LIVE-SOVEREIGN', facts }
    } catch (error) {
      if (!(error instanceof ComputeError)) throw error
      return { tier: 'WIRED-UNREACHABLE', facts: {}, reason: `the compute pool answered ${error.code}` }
    }
  }
}
