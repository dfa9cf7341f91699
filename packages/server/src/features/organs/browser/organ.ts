/** N24 Browser: what an agent's actions on a page would do, before a real browser does them. No script runs, nothing is
 *  loaded and nothing is sent. */

import { InputError } from '../../../errors.ts'
import type { Gates } from '../../../governance/contract.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import {
  type Attachment,
  fitting,
  type NeedsInput,
  type Organ,
  op,
  type RequestFault,
  type RunContext,
  type Structured,
} from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { faultRemarks, screenText } from '../text-screen.ts'
import type { ValueKind } from './actions.ts'
import { FIXTURES } from './fixtures.ts'
import { type HiddenText, READINGS } from './hidden.ts'
import type { PageJob, PageReport, readPage } from './job.ts'
import {
  Act,
  type Action,
  type ActRequest,
  ActResult,
  DOINGS,
  type Injection,
  MAX_VALUE,
  Snapshot,
  SnapshotResult,
} from './shapes.ts'

const DEADLINE_MS = 3000
const MAX_ALONE = 64
const MAX_JOINED = 16_000
const OVERLAP = 1000
const MAX_INJECTIONS = 100
/** The score from which a finding of the guard is more than a note. */
const HOLD_THRESHOLD = 0.2

const NO_LAYOUT: Limit = {
  code: 'NO_LAYOUT',
  detail:
    'styles are read, boxes are not laid out: text that another element covers, or that only layout puts off the screen, is not known to be hidden',
}

export interface ReplayStep {
  do: Action['do']
  /** The place of its target among the elements of the document; null where it had none. */
  at: number | null
  name: string
  value: string
  isDone: boolean
  /** Where it led. */
  url: string | null
}

export interface ReplayPage {
  html: string
  url: string
  steps: readonly ReplayStep[]
}

/** The same steps in a real browser, where the operator configured one. */
export type Replay = (page: ReplayPage, context: Pick<RunContext, 'signal' | 'now'>) => Promise<Attachment>

interface Needs {
  compute: Compute
  gates: Pick<Gates, 'examine'>
  replay?: { run: Replay; deadlineMs: number } | null
}

export function browser({ compute, gates, replay = null }: Needs): Organ {
  const job = compute.register<PageJob, ReturnType<typeof readPage>>({
    ...{ name: 'organ-browser', module: new URL('./job.ts', import.meta.url) },
    ...{ function: 'readPage', deadlineMs: DEADLINE_MS },
  })
  const worker = { isolation: 'worker', deadlineMs: DEADLINE_MS + (replay?.deadlineMs ?? 0), maxWork: 500_000 }
  const read = async (params: PageJob, context: RunContext) => {
    const report = await context.job(job, params)
    if ('fault' in report)
      throw new InputError([{ loc: ['body', ...report.fault.place], msg: report.fault.message, type: 'value' }])
    const { injections, faults } = await findInjections(report.hidden, gates)
    const { limits, ...rest } = faultRemarks(faults)
    const { snapshot, total } = report
    const seen = { snapshot, ...(total > snapshot.length ? { truncated_from: total } : {}), injections }
    return { report, seen, limits: [NO_LAYOUT, ...limitsOf(report), ...limits], rest }
  }
  return {
    id: 'N24',
    version: '1.1.0',
    dependsOn: ['N3'],
    ops: {
      act: op({
        ...worker,
        summary: 'Applies actions to a page up to the first that must not be done, and finds instructions hidden in it',
        request: Act,
        result: ActResult,
        estimate: (request) => nodesOf(request) * request.actions.length,
        check: actFaults,
        async run({ url = '', actions, allow_origins = [], ...request }, context) {
          const screened = await valueKinds(actions, gates)
          const allow = allow_origins.map((origin) => new URL(origin).origin)
          const script = { url: new URL(url).href, allow, actions, kinds: screened.kinds }
          const html = htmlOf(request)
          const { report, seen, limits, rest } = await read({ html, script }, context)
          const replayed = { html, url: script.url, steps: replaySteps(report.ran!, script.actions) }
          const attachments = replay === null ? [] : [await replay.run(replayed, context)]
          const { steps, extracted, finalUrl, isBlocked } = report.ran!
          const typed = faultRemarks(screened.faults)
          return {
            ...{ ...rest, ...('volatile' in typed ? { volatile: typed.volatile } : {}) },
            status: isBlocked ? 'DENIED' : 'EXECUTED',
            result: { steps, blocked: steps.at(-1)?.blocked?.code ?? null, extracted, final_url: finalUrl, ...seen },
            limits: [...limits, ...typed.limits],
            attachments,
          }
        },
      }),
      snapshot: op({
        ...worker,
        summary: 'The accessibility tree of a page with refs for actions, and instructions hidden in it',
        request: Snapshot,
        result: SnapshotResult,
        estimate: nodesOf,
        check: pageFaults,
        async run(request, context) {
          const { seen, limits, rest } = await read({ html: htmlOf(request), script: null }, context)
          return { ...rest, result: seen, limits }
        },
      }),
    },
    fromPrompt,
    example: {
      request: {
        ...{ op: 'act', fixture: 'login', url: 'https://page.orch.invalid/' },
        actions: [
          { do: 'type', name: 'Email', value: 'ada@example.org' },
          { do: 'type', name: 'Password', value: 'correct horse' },
          { do: 'click', role: 'button', name: 'Sign in' },
        ],
      },
      prompt: 'click "Sign in"; type "Email" a@b.co',
    },
    backends: [{ env: 'ORCH_ORGAN_N24_CDP', configured: replay !== null, adds: 'the same steps in a real browser' }],
    evidence: {
      assumptions: [
        'the page is what the HTML says after parsing, with its own style sheets and no script',
        'the window is 1280 by 720; text fainter than a contrast of 1.3 or an opacity of 0.1, or smaller than 4 px, is hidden',
        'an action goes to the one visible element that it names; after the page is left nothing more is done',
      ],
      not_real: ['no browser, no script, no network: what a page does by script is not known, and nothing was sent'],
    },
  }
}

/** Without a page that is left before the first action. */
const replaySteps = ({ steps, targets }: NonNullable<PageReport['ran']>, actions: readonly Action[]): ReplayStep[] =>
  targets.map((target, at) => {
    const { ok, blocked, effect } = steps[at]!
    return {
      ...{ do: actions[at]!.do, at: target?.[0] ?? null, name: target?.[1] ?? '', value: actions[at]!.value ?? '' },
      ...{ isDone: ok && blocked === undefined, url: effect?.url ?? null },
    }
  })

type Source = Pick<ActRequest, 'html' | 'fixture'>

const htmlOf = ({ html, fixture }: Source): string => html ?? FIXTURES[fixture!]
const nodesOf = (request: Source): number =>
  request.html === undefined && request.fixture === undefined ? 0 : htmlOf(request).split('<').length

function limitsOf({ inert, unread, hidden, hiddenTotal }: PageReport): Limit[] {
  const { scripts, handlers, frames } = inert
  return [
    ...(scripts + handlers === 0
      ? []
      : [{ code: 'SCRIPT_NOT_RUN', detail: `${scripts} scripts and ${handlers} handlers were not run` }]),
    ...(frames === 0 ? [] : [{ code: 'FRAMES_NOT_READ', detail: `${frames} frames were not loaded` }]),
    ...unread.map((detail) => ({
      code: 'STYLE_NOT_READ',
      detail: `${detail}: all text of the page was screened as if it were hidden`,
    })),
    ...(hiddenTotal > hidden.length
      ? [{ code: 'HIDDEN_TEXTS_CUT', detail: `${hiddenTotal} texts are hidden; ${hidden.length} were screened` }]
      : []),
  ]
}

/** Secrets and personal values among what is to be typed. A scanner that did not finish found nothing out: a secret. */
async function valueKinds(actions: readonly Action[], gates: Needs['gates']) {
  const kinds: ValueKind[] = []
  const faults: string[] = []
  for (const { do: doing, value = '' } of actions) {
    if (doing !== 'type' || value === '') {
      kinds.push(null)
      continue
    }
    const found = await screenText(gates, value, 'output', { scanners: ['secrets', 'pii'] })
    faults.push(...found.faults)
    const isSecret = found.faults.length > 0 || found.findings.some(({ scanner }) => scanner === 'secrets')
    kinds.push(isSecret ? 'secret' : found.findings.length > 0 ? 'personal' : null)
  }
  return { kinds, faults }
}

/** Each hidden text by itself, and all of them together: an instruction may be parted among several, into words or into
 *  letters. */
async function findInjections(hidden: readonly HiddenText[], gates: Needs['gates']) {
  const found = new Map<HiddenText, { action: 'review' | 'deny'; rules: Set<string>; text: string }>()
  const faults: string[] = []
  const screened = new Set<string>()
  const screen = async (texts: readonly HiddenText[], read: (typeof READINGS)[number]) => {
    const written = texts.map(({ parts }) => read(parts))
    const glue = read(['', ''])
    const joined = written.join(glue)
    if (screened.has(joined)) return
    screened.add(joined)
    const endOffsets: number[] = []
    for (const text of written) endOffsets.push((endOffsets.at(-1) ?? 0) + [...text].length + glue.length)
    const {
      action,
      findings,
      faults: failed,
    } = await screenText(gates, joined, 'input', {
      ...{ scanners: ['injection', 'exfil', 'obfuscation'] as const, origin: 'retrieved' as const },
    })
    faults.push(...failed)
    if (action === 'allow') return
    for (const { start, end, score, rule } of findings) {
      if (score < HOLD_THRESHOLD) continue
      for (const at of new Set([start, end - 1].map((position) => endOffsets.findIndex((last) => position < last)))) {
        const text = texts[at]
        if (text === undefined) continue
        const known = found.get(text)
        found.set(text, {
          action: known?.action === 'deny' ? 'deny' : action,
          rules: new Set([...(known?.rules ?? []), rule]),
          text: known?.text ?? written[at]!,
        })
      }
    }
  }
  for (const read of READINGS) {
    for (const one of hidden.slice(0, MAX_ALONE)) await screen([one], read)
    for (const chunk of hidden.length > 1 ? chunksOf(hidden) : []) await screen(chunk, read)
  }
  const injections = hidden.flatMap((one): Injection[] => {
    const { action, rules, text } = found.get(one) ?? {}
    return action === undefined
      ? []
      : [
          {
            ways: one.ways,
            ref: one.ref,
            action,
            rules: [...rules!].sort(),
            text: text!.trim().slice(0, 200).toWellFormed(),
          },
        ]
  })
  return { injections: injections.slice(0, MAX_INJECTIONS), faults: [...new Set(faults)] }
}

/** Each begins with the end of the one before: no instruction falls between two. */
function chunksOf(hidden: readonly HiddenText[]): HiddenText[][] {
  const lengths = hidden.map(({ parts }) => parts.join(' ').length + 1)
  const chunks: HiddenText[][] = []
  for (let [start, end] = [0, 0]; end < hidden.length; ) {
    let length = 0
    for (end = start; end < hidden.length && (end === start || length + lengths[end]! <= MAX_JOINED); end += 1)
      length += lengths[end]!
    chunks.push(hidden.slice(start, end))
    const first = start
    start = end
    for (let back = 0; start > first + 1 && (start === end || back + lengths[start - 1]! <= OVERLAP); start -= 1)
      back += lengths[start - 1]!
  }
  return chunks
}

function pageFaults({ html, fixture, url }: Source & { url?: string }): RequestFault[] {
  return [
    ...((html === undefined) === (fixture === undefined)
      ? [{ place: ['html'], message: 'give either html or fixture' }]
      : []),
    ...(url === undefined || URL.canParse(url) ? [] : [{ place: ['url'], message: 'is no address' }]),
  ]
}

function actFaults(request: ActRequest): RequestFault[] {
  const { actions, allow_origins = [] } = request
  return [
    ...pageFaults(request),
    ...allow_origins.flatMap((origin, at) =>
      URL.parse(origin)?.origin === origin
        ? []
        : [{ place: ['allow_origins', at], message: 'is no origin: https://host, without a path' }],
    ),
    ...actions.flatMap(({ do: doing, ref, role, name, css, value }, at) => {
      const ways = [ref !== undefined, role !== undefined || name !== undefined, css !== undefined].filter(
        Boolean,
      ).length
      const fault = (field: string, message: string) => [{ place: ['actions', at, field], message }]
      if (ways > 1) return fault('ref', 'is given beside role, name or css: an action has one target')
      if (ways === 0 && doing !== 'assert') return fault('ref', 'or role and name, or css is needed')
      if (ways === 0 && value === undefined) return fault('value', 'is needed where no target is')
      if (value === undefined && (doing === 'type' || doing === 'select')) return fault('value', 'is needed')
      if (doing === 'check' && value !== undefined && value !== 'true' && value !== 'false')
        return fault('value', 'is true or false')
      return []
    }),
  ]
}

const STATEMENT = new RegExp(`^(${DOINGS.join('|')})\\s+"([^"]{1,256})"(?:\\s+(.+))?$`, 'i')

/** `click "Sign in"; type "Email" a@b.co`; any other text is what should be visible. */
function fromPrompt(prompt: string): Structured | NeedsInput {
  const parts = prompt
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const actions = parts.map((part) => {
    const [, doing, name, value] = STATEMENT.exec(part) ?? []
    return doing === undefined ? null : { do: doing.toLowerCase(), name, ...(value === undefined ? {} : { value }) }
  })
  const act = (list: unknown[]): Structured => ({ op: 'act', fixture: 'login', actions: list })
  const isScript = actions.length > 0 && actions.length <= 50 && actions.every((action) => action !== null)
  if (isScript && actFaults(act(actions) as never).length === 0) return act(actions)
  const field = { field: 'actions', max: MAX_VALUE, example: 'click "Sign in"' }
  return fitting(prompt, field, (value) => act([{ do: 'assert', value }]))
}
