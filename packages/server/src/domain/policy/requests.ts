/** The facts of a decision as the policy engine is asked about them. */
import type { Effect } from '../gates/finding.ts'
import type { EntityName, PolicyRequest } from './authorization.ts'

/** One owner's name may stand in several namespaces, and policies may tell these apart. */
interface CallerFacts {
  owner: string
  namespace: string
}

export interface GovernFacts extends CallerFacts {
  /** What the caller says the text will do. */
  effect: Effect
  tool: string | null
  /** What the server's own registry holds under that name; null when it holds nothing. */
  registered: { effect: Effect; review?: boolean | undefined } | null
  /** What a command in the text would do: for a named tool alone, since a text by itself does nothing. */
  shown?: Effect
  /** Of the sensitivity class, 0 to 3. */
  rank: number
  tainted: boolean
  approved: boolean
}

interface InferFacts extends CallerFacts {
  target: string
  zone: 'local' | 'external'
  rank: number
}

const GRAVITY: readonly Effect[] = ['none', 'read', 'write', 'external', 'destructive']
/** The graver of two effects: what a caller says may only add to what is known. */
export const graverEffect = (one: Effect, other: Effect): Effect =>
  GRAVITY.indexOf(one) >= GRAVITY.indexOf(other) ? one : other

const gravest = (effect: Effect, shown: Effect, registered: Effect = 'none'): Effect =>
  graverEffect(graverEffect(effect, shown), registered)

const name = (type: string, id: string): EntityName => ({ type: `Orch::${type}`, id })

function callerEntity({ owner, namespace }: CallerFacts): PolicyRequest['entities'][number] {
  return { uid: name('Caller', owner), attrs: { namespace }, parents: [] }
}

/** An effect beyond read, or a tool, is the use of a tool: text alone may only be read. */
export function governRequest(facts: GovernFacts): PolicyRequest {
  const { effect, tool, rank } = facts
  const caller = callerEntity(facts)
  if (tool !== null || (effect !== 'none' && effect !== 'read')) return toolRequest(facts)
  return {
    principal: caller.uid,
    action: name('Action', 'Govern'),
    resource: name('Text', 'text'),
    context: { effect, rank },
    entities: [caller],
  }
}

/** The gravest of three: a caller may call its tool graver than the registry does, never milder, and a command in its
 *  arguments shows what it will do. */
function toolRequest(facts: GovernFacts): PolicyRequest {
  const { effect, tool, registered, shown = 'none', rank, tainted, approved } = facts
  const caller = callerEntity(facts)
  const resource = name('Tool', tool ?? 'unnamed')
  // Without a name there is nothing the registry could have spoken about.
  const known = tool === null ? null : registered
  return {
    principal: caller.uid,
    action: name('Action', 'InvokeTool'),
    resource,
    context: { effect: tool === null ? effect : gravest(effect, shown, known?.effect), rank, tainted, approved },
    entities: [
      { uid: resource, attrs: { registered: known !== null, review: known?.review ?? false }, parents: [] },
      caller,
    ],
  }
}

export function inferRequest({ target, zone, rank, ...facts }: InferFacts): PolicyRequest {
  const caller = callerEntity(facts)
  const resource = name('Target', target)
  return {
    principal: caller.uid,
    action: name('Action', 'Infer'),
    resource,
    context: { rank },
    entities: [{ uid: resource, attrs: { zone }, parents: [] }, caller],
  }
}

const EXAMPLE = { owner: 'owner', namespace: 'namespace', rank: 0 } as const
const USE = { ...EXAMPLE, effect: 'read', registered: null, tainted: false, approved: false } as const
/** One of each kind, for the check that a set of policies can answer them. */
export const EXAMPLE_REQUESTS: readonly PolicyRequest[] = [
  governRequest({ ...USE, tool: null }),
  governRequest({ ...USE, tool: 'tool' }),
  inferRequest({ ...EXAMPLE, target: 'target', zone: 'local' }),
]
