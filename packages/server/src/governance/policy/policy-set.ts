/** A policy set that passed strict validation and lies parsed in the engine, under its digest. */
import { preparsePolicySet, preparseSchema, schemaToJson, validate } from '@cedar-policy/cedar-wasm/nodejs'
import { type AnnotatedPolicy, readPolicies, sentenceOf } from './annotated-policies.ts'
import { type PolicyFile, PolicySetError, policyDigest, SCHEMA_FILE } from './policy-files.ts'
import { type RegisteredTool, readTools } from './registered-tools.ts'

export interface PolicySet {
  digest: string
  files: readonly PolicyFile[]
  policies: ReadonlyMap<string, AnnotatedPolicy>
  /** What the operator registered, by name. */
  tools: ReadonlyMap<string, RegisteredTool>
  /** `Type::"id"` of the actions that requests may be about. */
  actions: ReadonlySet<string>
}

type Texts = Record<string, string>

export const actionName = ({ type, id }: { type: string; id: string }): string => `${type}::${JSON.stringify(id)}`

/** A set is prepared once for the life of the thread, as long as the engine keeps what it parsed of it. */
const prepared = new Map<string, PolicySet>()

/** Throws a PolicySetError and changes nothing where anything is wrong with the files. */
export function preparePolicySet(files: readonly PolicyFile[], builtInTools: readonly string[] = []): PolicySet {
  const digest = policyDigest(files)
  const name = JSON.stringify([digest, builtInTools])
  const set = prepared.get(name) ?? prepare(files, digest, builtInTools)
  prepared.set(name, set)
  return set
}

function prepare(files: readonly PolicyFile[], digest: string, builtInTools: readonly string[]): PolicySet {
  const schema = files.find(({ name }) => name === SCHEMA_FILE)?.text ?? ''
  const policies = readPolicies(files)
  const tools = readTools(files, builtInTools)
  const texts = textsOf(policies, () => true)
  const actions = actionsOf(schema)
  assertStrictlyValid(schema, texts)
  keepParsed(
    digest,
    schema,
    texts,
    textsOf(policies, ({ effect, outcome }) => effect === 'permit' || outcome === 'deny'),
  )
  return { digest, files, policies, tools, actions }
}

const textsOf = (policies: ReadonlyMap<string, AnnotatedPolicy>, chosen: (policy: AnnotatedPolicy) => boolean) =>
  Object.fromEntries([...policies.values()].filter(chosen).map(({ id, text }) => [id, text]))

/** The same set as it would decide once every review is lifted. */
export const liftedName = (digest: string): string => `${digest} lifted`

/** Groups of actions are declared as well, but no request can be about them. */
function actionsOf(schema: string): Set<string> {
  const parsed = schemaToJson(schema)
  if (parsed.type === 'failure') throw new PolicySetError(`${SCHEMA_FILE} does not parse: ${sentenceOf(parsed.errors)}`)
  const names = Object.entries(parsed.json).flatMap(([namespace, { actions }]) =>
    Object.entries(actions)
      .filter(([, action]) => (action.appliesTo?.principalTypes.length ?? 0) > 0)
      .map(([id]) => actionName({ type: namespace === '' ? 'Action' : `${namespace}::Action`, id })),
  )
  return new Set(names)
}

/** Warnings refuse the set too: a forbid that can never apply, or a name in look-alike letters, is one. */
function assertStrictlyValid(schema: string, texts: Texts): void {
  const answer = validate({ validationSettings: { mode: 'strict' }, schema, policies: { staticPolicies: texts } })
  if (answer.type === 'failure') throw new PolicySetError(`the policies do not validate: ${sentenceOf(answer.errors)}`)
  const [first] = [...answer.validationErrors, ...answer.validationWarnings]
  if (first) throw new PolicySetError(`policy ${first.policyId} does not validate: ${sentenceOf([first.error])}`)
  const [other] = answer.otherWarnings
  if (other) throw new PolicySetError(`the policies do not validate: ${sentenceOf([other])}`)
}

/** The engine keeps what it parsed for the life of the thread. The name is the digest, so one name never changes its
 *  meaning under a decision that is being made. */
function keepParsed(digest: string, schema: string, all: Texts, lifted: Texts): void {
  const answers = [
    preparseSchema(digest, schema),
    preparsePolicySet(digest, { staticPolicies: all }),
    preparsePolicySet(liftedName(digest), { staticPolicies: lifted }),
  ]
  for (const answer of answers)
    if (answer.type === 'failure') throw new PolicySetError(`the policies do not parse: ${sentenceOf(answer.errors)}`)
}
