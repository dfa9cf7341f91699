/** Whether the model may answer: every artifact is what its list says, its evaluation holds, and it computes what it
 *  computed before. */
import { isRecord } from '../../domain/stored-receipt.ts'
import type { FoundFile, ModelFiles } from './io/model-files.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { CHECK_NAMES, type CheckName, type Gate, type GateCheck, PROVIDER_ID, TIER } from './schemas.ts'

export const MANIFEST_FILE = 'manifest.json'
const FILES: Readonly<Partial<Record<CheckName, string>>> = {
  weights: 'weights.safetensors',
  tokenizer: 'tokenizer.json',
  config: 'config.json',
  training_script: 'train.py',
  corpus_manifest: 'corpus-manifest.json',
  training_receipt: 'training-receipt.json',
  evaluation: 'evaluation.json',
}

/** Digests of what the model computes with. */
export interface ModelDigests {
  weights: string
  tokenizer: string
  config: string
}

/** Loads the model from the files of these digests and says the digest of its logits after the prompt. */
type Reload = (digests: ModelDigests, prompt: string) => Promise<string>

export interface GateResult {
  gate: Gate
  /** What may be computed with; null where nothing may. */
  digests: ModelDigests | null
}

const blocked = (reason: string): GateCheck => ({ state: 'BLOCKED', reason })
const unavailable = (reason: string): GateCheck => ({ state: 'UNAVAILABLE', reason })

/** The files alone: each is what the list says, the training receipt is about these files, the evaluation holds. */
export async function checkFiles(files: ModelFiles) {
  const list = await files.look(MANIFEST_FILE)
  const manifest = list.state === 'there' ? readManifest(await list.text()) : null
  const checks = {} as Record<CheckName, GateCheck>
  const found = new Map<string, FoundFile>()
  for (const { path } of manifest?.files ?? []) found.set(path, await files.look(path))
  checks.manifest = manifestCheck(list, manifest, found)
  for (const [name, path] of Object.entries(FILES)) checks[name as CheckName] = fileCheck(path, manifest, found)
  const [evaluation, training] = await Promise.all([
    contentOf(found.get(FILES.evaluation!)),
    contentOf(found.get(FILES.training_receipt!)),
  ])
  if (checks.evaluation.state === 'PASS') checks.evaluation = judgeEvaluation(checks.evaluation, evaluation)
  if (checks.training_receipt.state === 'PASS')
    checks.training_receipt = judgeTraining(checks.training_receipt, training, manifest!)
  return { manifest, checks, evaluation }
}

export async function checkGate(files: ModelFiles, reload: Reload, checkedAt: string): Promise<GateResult> {
  const { manifest, checks, evaluation } = await checkFiles(files)
  checks.provider_identity = identityCheck(manifest)
  const digests = digestsOf(checks)
  checks.offline_reload = await reloadCheck(manifest, digests, reload)
  const states = CHECK_NAMES.map((name) => checks[name].state)
  const state = states.includes('BLOCKED')
    ? 'BLOCKED'
    : states.includes('UNAVAILABLE')
      ? 'UNAVAILABLE'
      : 'READY_EXPERIMENTAL'
  const ready = state === 'READY_EXPERIMENTAL'
  const gate: Gate = {
    schema: 'orch.m1-operational-gate/v1',
    candidate_id: manifest?.candidate_id ?? 'm1',
    provider_id: PROVIDER_ID,
    checked_at: checkedAt,
    operational_state: state,
    release_state: 'NOT_PROMOTED',
    quality_claim: 'NOT_ESTABLISHED',
    production_eligible: false,
    inference_mode: ready ? TIER : 'DISABLED',
    effectors: { network: 'DISABLED', download: 'DISABLED', training: 'DISABLED', publishing: 'DISABLED' },
    checks: Object.fromEntries(CHECK_NAMES.map((name) => [name, checks[name]])) as Gate['checks'],
    evaluation: checks.evaluation.state === 'PASS' ? evaluation : null,
    label: 'MEASURED',
  }
  return { gate, digests: ready ? digests : null }
}

/** The list itself, and the files on it that have no check of their own. */
function manifestCheck(list: FoundFile, manifest: Manifest | null, found: ReadonlyMap<string, FoundFile>): GateCheck {
  if (list.state === 'absent') return unavailable('the list of the files is not there')
  if (list.state === 'refused') return blocked(list.reason)
  const facts = { sha256: list.sha256, bytes: list.bytes }
  if (manifest === null) return { ...blocked('the list is not what it was when it was written'), ...facts }
  const own = Object.values(FILES)
  const faults = manifest.files
    .filter(({ path }) => !own.includes(path))
    .map(({ path }) => ({ path, ...fileCheck(path, manifest, found) }))
    .filter(({ state }) => state !== 'PASS')
  const worst = faults.find(({ state }) => state === 'BLOCKED') ?? faults[0]
  if (worst !== undefined) return { state: worst.state, reason: `${worst.path}: ${worst.reason}`, ...facts }
  return { state: 'PASS', reason: null, ...facts }
}

function fileCheck(path: string, manifest: Manifest | null, found: ReadonlyMap<string, FoundFile>): GateCheck {
  if (manifest === null) return unavailable('there is no list that says what it should be')
  const row = manifest.files.find((each) => each.path === path)
  const file = found.get(path)
  if (row === undefined || file === undefined) return blocked('the list does not name it')
  if (file.state === 'absent') return unavailable('the file is not there')
  if (file.state === 'refused') return blocked(file.reason)
  const facts = { sha256: file.sha256, bytes: file.bytes }
  if (file.bytes !== row.bytes) return { ...blocked(`it has ${file.bytes} bytes, listed are ${row.bytes}`), ...facts }
  if (file.sha256 !== row.sha256) return { ...blocked('its digest is not the one that is listed'), ...facts }
  return { state: 'PASS', reason: null, ...facts }
}

async function contentOf(file: FoundFile | undefined): Promise<Record<string, unknown> | null> {
  if (file?.state !== 'there') return null
  try {
    const parsed: unknown = JSON.parse(await file.text())
    return isRecord(parsed) ? parsed : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** A model that is not clearly better than counting tokens has nothing to say: the intervals must not touch. */
function judgeEvaluation(check: GateCheck, evaluation: Record<string, unknown> | null): GateCheck {
  const scores = evaluation?.bits_per_byte as Record<string, { ci95: [number, number] } | undefined> | undefined
  const [own, counted] = [scores?.m1?.ci95, scores?.unigram?.ci95]
  const facts = { sha256: check.sha256!, bytes: check.bytes! }
  if (own === undefined || counted === undefined) return { ...blocked('it has no intervals to compare'), ...facts }
  return own[1] < counted[0] ? check : { ...blocked('m1 does not beat the unigram baseline'), ...facts }
}

/** A receipt says how a model came to be only where it is the receipt of this one. A script whose words were put right
 *  since is named with both digests. */
function judgeTraining(check: GateCheck, receipt: Record<string, unknown> | null, { files }: Manifest): GateCheck {
  const { corpus, scripts, corrections } = (receipt ?? {}) as Partial<TrainingReceipt>
  const corrected = (path: string, sha256: unknown) =>
    corrections?.find((row) => row.file === path && row.trained_with_sha256 === sha256)?.sha256 ?? sha256
  const stated: [string, unknown][] = [
    ['weights.safetensors', receipt?.weights_sha256],
    ['tokenizer.json', receipt?.tokenizer_sha256],
    ['corpus-manifest.json', corpus?.manifest_sha256],
    ...Object.entries(scripts ?? { 'train.py': null }).map(([path, sha256]): [string, unknown] => [
      path,
      corrected(path, sha256),
    ]),
  ]
  const other = stated.find(([path, sha256]) => files.find((each) => each.path === path)?.sha256 !== sha256)
  const facts = { sha256: check.sha256!, bytes: check.bytes! }
  return other === undefined ? check : { ...blocked(`it is the receipt of another ${other[0]}`), ...facts }
}

interface TrainingReceipt {
  corpus: { manifest_sha256: string }
  scripts: Record<string, string>
  corrections: { file: string; trained_with_sha256: string; sha256: string }[]
}

function identityCheck(manifest: Manifest | null): GateCheck {
  if (manifest === null) return unavailable('there is no list that names the provider')
  if (manifest.provider_id !== PROVIDER_ID) return blocked('the list names another provider')
  return { state: 'PASS', reason: null }
}

function digestsOf(checks: Record<CheckName, GateCheck>): ModelDigests | null {
  const { weights, tokenizer, config } = checks
  if (![weights, tokenizer, config].every(({ state }) => state === 'PASS')) return null
  return { weights: weights.sha256!, tokenizer: tokenizer.sha256!, config: config.sha256! }
}

async function reloadCheck(
  manifest: Manifest | null,
  digests: ModelDigests | null,
  reload: Reload,
): Promise<GateCheck> {
  if (manifest === null || digests === null) return unavailable('weights, tokenizer and config do not all pass')
  const { prompt, logits_sha256: expected } = manifest.reload
  const sha256 = await reload(digests, prompt).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'ComputeError') return null
    throw error
  })
  if (sha256 === null) return unavailable('the forward pass did not end; ask again')
  const facts = { sha256 }
  return sha256 === expected
    ? { state: 'PASS', reason: null, ...facts }
    : { ...blocked('a forward pass gives other logits than the committed ones'), ...facts }
}
