import Type from 'typebox'
import { formAccepted } from '../../domain/accept.ts'
import { entityTag, isCachedBy } from '../../domain/entity-tag.ts'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { findPaths, pageLinks } from '../../domain/page/links.ts'
import { APPENDING } from '../../errors.ts'
import { operation, Reply } from '../../operation.ts'
import type { Pages, Ports } from '../../ports.ts'
import type { M1 } from './contract.ts'
import { EXAMPLE, INFER, inferDraft, withGate } from './infer.ts'
import { modelPage } from './page.ts'
import { Gate, InferBody, InferReply } from './schemas.ts'

type Deps = Pick<Ports, 'catalog' | 'build' | 'recorder'> & { m1: M1; pages: Pages }

const reading = { group: 'Research', method: 'GET', scope: null, example: {} } as const
const HTML = 'text/html'
const SCRIPT = 'text/javascript'
const JSON_TYPE = 'application/json'
const VARIES = { vary: 'Accept' }
/** Below the prefix the gate, at the root its page. */
const PATH = '/models/m1'
const SCRIPT_PATH = '/models/m1/app.js'
const GATE = 'm1.gate'

/** The language model of this build: whether it may answer, and what it answers. */
export const m1 = ({ m1: model, catalog, build, recorder, pages }: Deps) => [
  operation({
    ...reading,
    id: GATE,
    path: PATH,
    summary: 'Whether the embedded model may answer: every artifact hashed, its evaluation, one forward pass repeated',
    description:
      'Digests are taken now, or kept while a file did not change. The evaluation is a committed sample with its date. Nothing is downloaded, trained or published.',
    reply: Gate,
    labels: ['MEASURED', 'SAMPLE'],
    run: () => model.gate(),
  }),
  operation({
    id: INFER,
    group: 'Research',
    method: 'POST',
    path: '/models/m1/infer',
    scope: 'inference:write',
    summary: 'Let the embedded model continue a text: tokens, log-probabilities, seeded sampling, one slot',
    description:
      'Temperature 0 takes the likeliest token and gives the same bytes again. The prompt and the text are in no receipt, only their digests. One text at a time: whoever finds the slot taken gets 429.',
    body: InferBody,
    bodyLimit: 32 * 1024,
    emptyBody: 'example',
    reply: InferReply,
    boundary: { refuse: withGate(model) },
    errors: [
      'model_gate_blocked',
      'model_unavailable',
      'inference_slot_busy',
      'compute_busy',
      'compute_timeout',
      ...APPENDING,
    ],
    labels: ['MODELED', 'STRUCTURAL-ONLY'],
    example: { body: EXAMPLE },
    run: (call) => recorder.record(call, INFER, { decide: () => inferDraft(model, call) }),
  }),
  operation({
    ...reading,
    id: 'm1.page',
    path: PATH,
    root: true,
    summary: 'The embedded model as a page: gate, evaluation, training data, limits, and a box to try it',
    description: 'The page, or the gate as JSON where the request asks for that.',
    reply: Type.Union([Type.String(), Gate]),
    produces: HTML,
    labels: ['MEASURED', 'SAMPLE'],
    async run({ headers }) {
      const gate = await model.gate()
      if (formAccepted(headers.accept, [HTML, JSON_TYPE]) === JSON_TYPE) return new Reply(gate, { headers: VARIES })
      const [json, infer] = [GATE, INFER].map((id) => findPaths(catalog, [id])[0] ?? '')
      const places = { page: PATH, script: SCRIPT_PATH, json: json!, infer: infer! }
      const html = modelPage(gate, places, pageLinks(catalog), build.gitSha.value)
      return new Reply(html, { type: `${HTML}; charset=utf-8`, headers: { ...pageHeaders(PAGE_POLICY), ...VARIES } })
    },
  }),
  operation({
    ...reading,
    id: 'm1.script',
    path: SCRIPT_PATH,
    root: true,
    exempt: true,
    summary: 'The script of the model page',
    reply: Type.String(),
    produces: SCRIPT,
    labels: ['STRUCTURAL-ONLY'],
    run({ headers }) {
      const { text, sha256 } = pages.model
      const etag = entityTag(sha256)
      const isCached = isCachedBy(headers['if-none-match'], etag)
      return new Reply(isCached ? null : text, {
        ...{ status: isCached ? 304 : 200, type: `${SCRIPT}; charset=utf-8` },
        headers: { etag, 'cache-control': 'public, max-age=3600' },
      })
    },
  }),
]
