// The organs of the service: which there are, and a run of one.
import type { Reply } from '@orch/client'
import { command, SERVICE_FLAGS, showList } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { readJson } from '../json-input.ts'
import { connect } from '../service.ts'
import type { Column } from '../table.ts'

type OrganItem = Reply<'organs.catalog'>['items'][number]

const COLUMNS: readonly Column<OrganItem>[] = [
  { title: 'ID', width: 4, value: ({ id }) => id },
  { title: 'TITLE', width: 12, value: ({ title }) => title },
  { title: 'BODY', width: 13, value: ({ body }) => body },
  { title: 'LABEL', width: 11, value: ({ evidence_class }) => evidence_class },
  { title: 'JOB', width: 32, value: ({ job }) => job },
]

export const ls = command({
  name: 'organ ls',
  summary: 'List the organs with the label that their results carry',
  usage: '',
  flags: { jsonl: { type: 'boolean', help: 'one JSON object per organ' }, ...SERVICE_FLAGS },
  example: 'orch organ ls',
  async run({ flags, settings, terminal, signal }) {
    const catalog = await connect(settings).call('organs.catalog', {}, { signal })
    return showList(catalog, catalog.items, flags, terminal, { columns: COLUMNS, empty: 'this service has no organs' })
  },
})

export const ORGAN_IDS = Array.from({ length: 25 }, (_, at) => `N${at + 1}`)

export const run = command({
  name: 'organ run',
  summary: 'Run an organ on a request, or on its documented example, and print its result',
  usage: 'ID [--in FILE|-] [--envelope]',
  maxArguments: 1,
  flags: {
    in: { type: 'string', value: 'FILE|-', help: 'the request as JSON; without it the documented example runs' },
    envelope: { type: 'boolean', help: 'with its receipt, for orch verify and orch organ replay' },
    ...SERVICE_FLAGS,
  },
  example: 'orch organ run N8',
  async run({ args, flags, settings, terminal, interrupted }) {
    const organ_id = organId(args)
    const body = flags.in === undefined ? {} : readJson(flags.in, flags.in)
    if (body === null || typeof body !== 'object' || Array.isArray(body))
      throw usage(`--in ${flags.in}: the request is not a JSON object such as {"op":"search"}`)
    const query = flags.envelope ? { envelope: true } : {}
    const client = connect(settings, { timeoutMs: 60_000 })
    const reply = await client.call('organs.run', { params: { organ_id }, query, body }, { signal: interrupted })
    await terminal.out(`${JSON.stringify(reply, null, flags.json ? 0 : 2)}\n`)
    if (flags.in === undefined)
      terminal.say('this was the documented example: give --in FILE for a request of your own')
    return EXIT.done
  },
})

function organId(args: readonly string[]): string {
  const [given] = args
  const id = given?.toUpperCase() ?? ''
  if (ORGAN_IDS.includes(id)) return id
  const what = given === undefined ? 'give one ID' : `ID ${JSON.stringify(given)} is no organ`
  throw usage(`${what}: use N1 to N25; orch organ ls lists them`)
}
