/** One step: gate, tool, observe, receipt. Everything between reading the stored state and recording is one attempt; an
 *  attempt that could not be recorded has left nothing, and the next one begins with what is stored then. */
import { assertPortable, canonicalize, parseJsonText, sha256Hex } from '@orch/core'
import { decisionRecord } from '../../domain/decision/decision-record.ts'
import { meet, type Reason, type Verdict } from '../../domain/decision/verdict.ts'
import { documentKey } from '../../domain/document-key.ts'
import type { Effect, Origin } from '../../domain/gates/finding.ts'
import { partitionName } from '../../domain/partition.ts'
import { isToolName } from '../../domain/tools/arguments.ts'
import { ServiceError } from '../../errors.ts'
import type { DecisionOutcome, Examined } from '../../governance/contract.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import { type CallFacts, callRequest, outputRequest, STALE_REVIEW } from './decision-requests.ts'
import type { PlannedCall } from './rules/planner.ts'
import type { Note } from './rules/retrieve.ts'
import { carries, traceOfArguments } from './rules/taint.ts'
import { TOOL_MS, type ToolUse, useTool, withinTime } from './rules/tool-box.ts'
import { type Run, toReviewPayload } from './run-state.ts'
import { worldOf } from './world.ts'

export interface Approval {
  reviewId: string
  /** The observation that was approved; null where the call was. */
  observation: string | null
}

export interface StepTask {
  number: number
  call: PlannedCall
  rest: PlannedCall[]
  origin: Origin
  approval: Approval | null
}

export interface Attempt {
  gate: DecisionOutcome
  use: ToolUse | null
  attempts: number
  observed: DecisionOutcome | null
  decision: Verdict
  executed: boolean
  documents: DocumentWrite[]
}

export interface Prepared {
  facts: CallFacts
  args_sha256: string
  examined: Examined
}

export async function prepareStep(run: Run, task: StepTask): Promise<Prepared> {
  const { governance } = run.deps
  const { call, origin, approval } = task
  const text = canonicalize(call.args)
  const tainted = carries(traceOfArguments(call.args), run.traces)
  const effect: Effect = governance.tool(call.tool)?.effect ?? 'destructive'
  const facts = { call, text, origin, effect, tainted }
  const reviewId = approval?.reviewId ?? staleOf(run)
  const examined = await governance.examine(callRequest(run, reviewId, facts))
  return { facts, args_sha256: sha256Hex(text), examined }
}

/** A run that brought an approval which does not fit says so wherever it would have been needed. */
const staleOf = (run: Run): string | null =>
  run.request.reviewId !== null && run.resumed === null ? STALE_REVIEW : null

export async function attemptStep(run: Run, task: StepTask, prepared: Prepared): Promise<Attempt> {
  const { governance } = run.deps
  const { dryRun } = run.request
  const gate = await governance.decide(prepared.examined, {
    dryRun,
    // What a dry run would have spent is stored nowhere.
    alreadyCharged: dryRun ? run.charged : 0,
    payload: toReviewPayload(run, task, 'gate', null),
    step: stepOf(run, task),
  })
  const idle = { gate, use: null, attempts: 0, observed: null, executed: false, documents: gate.documents }
  if (gate.decision.decision !== 'allow' || dryRun) return { ...idle, decision: gate.decision.decision }
  // A call that could not be recorded is not made.
  assertPortable(decisionRecord({ ...gate, examination: gate.examined.examination }))
  const notes = await notesOf(run)
  const { use, attempts } = await usedTool(run, task, notes)
  if (!use.ok) return { ...idle, use, attempts, decision: 'allow' }
  const observed = await observe(run, task, gate, use)
  const decision = meet([gate.decision.decision, observed.decision.decision])
  const isRead = prepared.facts.effect === 'read'
  const executed = isRead || decision === 'allow'
  const changed = executed ? noteDocuments(run, notes, use) : []
  return {
    gate,
    use,
    attempts,
    observed,
    decision,
    executed,
    documents: merged(gate.documents, observed.documents, changed),
  }
}

const stepOf = (run: Run, { number, call }: StepTask) => ({ run_id: run.id, step: number, tool: call.tool })

const notesOf = (run: Run): Promise<NotesDocument> | NotesDocument =>
  run.request.sessionId === null ? { notes: run.notes, version: 0 } : readNotes(run, run.request.sessionId)

/** The operator's own tools run in the operator's own programs. */
const NOT_RUN_HERE: ToolUse = {
  ok: false,
  failure: 'REFUSED',
  reason: 'this tool is registered for governed calls; the agent loop runs the built-in tools alone',
}

/** A tool that only reads gets a second try. */
async function usedTool(run: Run, { call: { tool, args } }: StepTask, { notes }: NotesDocument) {
  if (!isToolName(tool)) return { use: NOT_RUN_HERE, attempts: 0 }
  const tries = run.deps.governance.tool(tool)?.effect === 'read' ? 2 : 1
  for (let attempts = 1; ; attempts++) {
    const limit = Math.min(TOOL_MS, Math.max(1, run.left()))
    const use = await withinTime(useTool(tool, args, worldOf(run, notes)), limit)
    if (use.ok || attempts === tries || run.left() <= 0) return { use, attempts }
  }
}

const ABOUT_THE_SESSION: ReadonlySet<Reason> = new Set(['BUDGET_EXCEEDED', 'BUDGET_UNAVAILABLE', 'LAMBDA_BELOW_FLOOR'])

/** Held back for what the session spent and for nothing in the text: who approved the step approved it on that budget. */
function isAboutTheSession({ decision, examined }: DecisionOutcome, gate: DecisionOutcome): boolean {
  const { findings_total, sensitivity } = examined.examination
  const asGate = findings_total === 0 && sensitivity.rank <= gate.examined.examination.sensitivity.rank
  return decision.decision === 'review' && asGate && decision.reasons.every((reason) => ABOUT_THE_SESSION.has(reason))
}

async function observe(
  run: Run,
  task: StepTask,
  gate: DecisionOutcome,
  use: Extract<ToolUse, { ok: true }>,
): Promise<DecisionOutcome> {
  const { governance } = run.deps
  const output = { text: use.text, value: use.output, floor: gate.examined.examination.sensitivity.class }
  const options = {
    alreadyCharged: gate.decision.charge_micro,
    payload: toReviewPayload(run, task, 'observe', use),
    step: stepOf(run, task),
  }
  const { approval } = task
  const wasApproved = approval !== null && approval.observation === use.sha256
  const first = wasApproved ? approval.reviewId : staleOf(run)
  const examined = await governance.examine(outputRequest(run, first, output))
  const determination = await governance.decide(examined, options)
  if (approval === null || !isAboutTheSession(determination, gate)) return determination
  const decisionRequest = outputRequest(run, approval.reviewId, output)
  return governance.decide({ ...examined, decisionRequest }, options)
}

/** Two decisions of one step write the same budget: the later one knows of the earlier. */
function merged(...lists: readonly DocumentWrite[][]): DocumentWrite[] {
  const writes = new Map<string, DocumentWrite>()
  for (const write of lists.flat()) writes.set(`${write.space}:${write.key}`, write)
  return [...writes.values()]
}

/** A session's notes change only together with the receipt of the step that changes them. */
const NOTES = 'agent.notes'

interface NotesDocument {
  notes: Note[]
  version: number
}

const notesKey = ({ namespace, owner }: Call['caller'], session: string) => documentKey(namespace, owner, session)

/** What was noted is given to the agent as its own, so it must be what was noted. */
async function readNotes({ deps: { ledger, governance }, call }: Run, session: string) {
  const row = await ledger.reader.document(NOTES, notesKey(call.caller, session))
  if (row === null) return { notes: [], version: 0 }
  if (!(await governance.matchesHead(row)))
    throw new ServiceError('stored_record_altered', 'the notes of this session are not what its receipts say')
  return { notes: (parseJsonText(row.value) as unknown as { notes: Note[] }).notes, version: row.version }
}

/** No notes left: the record goes as well. */
function noteDocuments(
  { request: { sessionId }, deps: { clock }, call: { caller } }: Run,
  { version }: NotesDocument,
  { notes }: Extract<ToolUse, { ok: true }>,
): DocumentWrite[] {
  if (notes === null || sessionId === null || (notes.length === 0 && version === 0)) return []
  const value = notes.length === 0 ? null : JSON.stringify({ notes })
  const place = { space: NOTES, key: notesKey(caller, sessionId), owner: partitionName(caller) }
  return [{ ...place, expect: version, state: 'open', rank: clock.now(), value }]
}
