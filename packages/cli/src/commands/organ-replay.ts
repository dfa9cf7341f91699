// Recompute what an organ computed: whoever has the input needs no word of the service for its answer.
import { type JsonValue, parseEnvelope, utf8Decode } from '@orch/core'
import { command } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { jsonOf, readJson } from '../json-input.ts'
import { runServerTool } from '../server-process.ts'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a receipt of a run says. */
interface Recorded {
  organ: string
  op: string
  version: string
  status: string
  seed: unknown
  input_sha256: unknown
  result_sha256: unknown
}

export const replay = command({
  name: 'organ replay',
  summary: 'Run an organ again on the input of a receipt and compare digests and status; 3 when one differs',
  usage: 'RECEIPT --input FILE',
  maxArguments: 1,
  flags: { input: { type: 'string', value: 'FILE', help: 'the body of the request as it was sent' } },
  example: 'orch organ replay organ.json --input input.json',
  async run(call) {
    const { args, flags, terminal } = call
    const [file] = args
    if (file === undefined)
      throw usage('name one RECEIPT of an organ run: orch organ replay organ.json --input input.json')
    if (flags.input === undefined)
      throw usage('--input is missing: a receipt holds digests, not the input; for example --input input.json')
    const recorded = recordedRun(readJson(file, file), file)
    // Read here as well, so that what is no JSON is told with its place.
    readJson(flags.input, flags.input)
    const again = await runServerTool('organ', 'replay', [recorded.organ, flags.input], call)
    const same = {
      input: again.input_sha256 === recorded.input_sha256,
      result: again.result_sha256 === recorded.result_sha256,
      status: again.status === recorded.status,
    }
    const isSame = same.input && same.result && same.status
    const obstacle = isSame ? nothingFrom(recorded, again) : obstacleOf(recorded, again, same.input)
    const equal = isSame && obstacle === null
    const report = {
      equal,
      organ: recorded.organ,
      op: recorded.op,
      version: { receipt: recorded.version, here: again.version },
      status: { receipt: recorded.status, here: again.status, equal: same.status },
      input_sha256: { receipt: recorded.input_sha256, here: again.input_sha256, equal: same.input },
      result_sha256: { receipt: recorded.result_sha256, here: again.result_sha256, equal: same.result },
      not_comparable: obstacle,
    }
    await terminal.out(flags.json ? `${JSON.stringify(report)}\n` : textOf(report))
    if (equal) return EXIT.done
    return obstacle === null ? EXIT.failed : EXIT.insufficient
  },
})

/** Why another result says nothing about the receipt; null where it does. */
function obstacleOf({ organ, version, status }: Recorded, again: Fields, isSameInput: boolean): string | null {
  if (organ === 'N15') return 'receipts of N15 hold salted digests, which only the record can open'
  if (!isSameInput) return null
  if (again.version !== version)
    return `the receipt is of version ${version} and this build has ${String(again.version)}`
  if (again.keeps_state === true) return 'the result depends on state that the caller had then'
  if (again.deterministic === false) return 'the result holds readings of the moment'
  return nothingFrom({ status }, again)
}

/** What a limit stopped or this build lacks came to nothing that could be recomputed. */
function nothingFrom({ status }: Pick<Recorded, 'status'>, again: Fields): string | null {
  if (NOTHING.has(status)) return `the run of the receipt came to ${status}: there is no result to compare`
  return NOTHING.has(again.status) ? `the run came to ${String(again.status)} here` : null
}

const NOTHING: ReadonlySet<unknown> = new Set(['LIMIT_EXCEEDED', 'UNAVAILABLE'])

type Compared = { receipt: unknown; here: unknown; equal: boolean }
interface Report {
  equal: boolean
  organ: string
  op: string
  status: Compared
  input_sha256: Compared
  result_sha256: Compared
  not_comparable: string | null
}

function textOf({ equal, organ, op, status, input_sha256, result_sha256, not_comparable }: Report): string {
  const line = (name: string, { receipt, here, equal }: Compared) =>
    `${name} ${equal ? `equal      ${String(here)}` : `different  receipt ${String(receipt)}, here ${String(here)}`}\n`
  const verdict = equal ? 'EQUAL' : not_comparable === null ? 'DIFFERENT' : `NOT COMPARABLE: ${not_comparable}`
  const lines = line('input ', input_sha256) + line('result', result_sha256) + line('status', status)
  return `${organ} ${op}\n${lines}${verdict}\nThe signature was not judged: see orch verify.\n`
}

/** The run in a reply with its envelope, a record of the ledger, an export or a bare envelope. */
function recordedRun(value: JsonValue, file: string): Recorded {
  const around = isFields(value) && isFields(value.receipt) ? value.receipt : value
  const envelope = isFields(around) && isFields(around.dsse) ? around.dsse : around
  const parsed = parseEnvelope(envelope)
  if (!parsed.ok)
    throw usage(
      `${file} holds no envelope (${parsed.reason}): ask for the run with ?envelope=1, or use orch ledger show --json`,
    )
  const body = jsonOf(utf8Decode(parsed.payload) ?? '', `the payload of ${file}`)
  const { kind, payload } = isFields(body) ? body : {}
  const run = kind === 'example' && isFields(payload) && payload.example_of === 'organ-run' ? payload.value : payload
  if ((kind !== 'organ-run' && kind !== 'example') || !isFields(run) || typeof run.organ !== 'string')
    throw usage(`RECEIPT ${file} is not of an organ run: orch organ run N8 --envelope --json makes one`)
  return run as unknown as Recorded
}
