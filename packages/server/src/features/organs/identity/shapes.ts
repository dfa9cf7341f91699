/** What a token of the simulated issuer says. */
import Type, { type Static, type TSchema } from 'typebox'
import { closed, Hex64 } from '../../../domain/wire.ts'

export const TRUST_DOMAIN = 'sim.orch.invalid'
export const MAX_DEPTH = 5
/** Seconds. */
export const MAX_TTL = 3600

const Id = Type.String({ minLength: 1, maxLength: 300 })
const Seconds = Type.Integer({ minimum: 0, maximum: 8_000_000_000 })

/** One holder of the authority. */
export const Link = closed({ sub: Id, jti: Hex64, scope: Type.String(), exp: Seconds })
export type Link = Static<typeof Link>

/** Who acts now, and inside it who acted before (RFC 8693). One level more than may be: too many is a reason of its own. */
interface Actor {
  sub: string
  act?: Actor
}
const actorSchema = (depth: number): TSchema =>
  closed({ sub: Id, ...(depth > 1 ? { act: Type.Optional(actorSchema(depth - 1)) } : {}) })

export const Claims = closed({
  iss: Id,
  sub: Id,
  aud: Id,
  iat: Seconds,
  nbf: Seconds,
  exp: Seconds,
  jti: Hex64,
  task: Id,
  scope: Type.String(),
  cnf: closed({ jkt: Id }),
  act: Type.Optional(Type.Unsafe<Actor>(actorSchema(MAX_DEPTH + 1))),
  /** The earlier holders: what was theirs bounds what is passed on. */
  dlg: Type.Array(Link),
})
export type Claims = Static<typeof Claims>
