/** Wire shapes of N24. */
import Type, { type Static } from 'typebox'
import { closed, Hex64, Nullable, Text, Texts, words } from '../../../domain/wire.ts'

export const HIDING = [
  ...(['display', 'visibility', 'opacity', 'size', 'colour', 'off_screen', 'clip', 'aria_hidden'] as const),
  ...(['not_rendered', 'unread_style'] as const),
] as const
export type Hiding = (typeof HIDING)[number]
export const WAYS = [...HIDING, 'comment', 'attribute', 'generated', 'invisible_characters'] as const
export const DOINGS = ['click', 'type', 'select', 'check', 'extract', 'assert'] as const
export const BLOCKS = [
  ...(['off_origin_navigation', 'off_origin_submit', 'off_origin_ping', 'off_origin_refresh'] as const),
  ...(['script_url', 'other_scheme', 'insecure_address', 'password_in_address', 'password_read'] as const),
  ...(['secret_to_foreign_form', 'personal_value_to_foreign_form'] as const),
] as const
export const FIXTURE_NAMES = ['login', 'checkout', 'search', 'table'] as const
const MAX_HTML = 49_152
export const MAX_VALUE = 8192

const Url = Type.String({ pattern: '^https://', maxLength: 2048, description: 'where the page is said to lie' })
export type Action = Static<typeof Action>
const Action = closed({
  do: words(DOINGS),
  ref: Type.Optional(Type.String({ pattern: '^e[1-9][0-9]{0,5}$', description: 'of a snapshot' })),
  role: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'the accessible name, whole' })),
  css: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  value: Type.Optional(Type.String({ maxLength: MAX_VALUE })),
})
const page = {
  html: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_HTML })),
  fixture: Type.Optional(words(FIXTURE_NAMES)),
  url: Type.Optional({ ...Url, default: 'https://page.orch.invalid/' }),
}
export const Snapshot = closed(page)
export const Act = closed({
  ...page,
  actions: Type.Array(Action, { minItems: 1, maxItems: 50 }),
  allow_origins: Type.Optional(
    Type.Array(Type.String({ pattern: '^https://', maxLength: 256 }), { maxItems: 16, default: [] }),
  ),
})
export type ActRequest = Static<typeof Act>

const Node = closed({
  ...{ ref: Type.String(), role: Type.String(), name: Type.String(), level: Type.Integer() },
  value: Type.Optional(Type.String()),
  checked: Type.Optional(Type.Boolean()),
  disabled: Type.Optional(Type.Literal(true)),
  href: Type.Optional(Type.String()),
})
const Injection = closed({
  ways: Type.Array(words(WAYS), { description: 'how it is hidden; unread_style: perhaps' }),
  ref: Text,
  action: words(['review', 'deny']),
  rules: Texts,
  text: Type.String({ description: 'the beginning of it' }),
})
export type Injection = Static<typeof Injection>
const seen = {
  snapshot: Type.Array(Node),
  truncated_from: Type.Optional(Type.Integer()),
  injections: Type.Array(Injection),
}
export const SnapshotResult = closed(seen)
export type Step = Static<typeof Step>
const Step = closed({
  ok: Type.Boolean(),
  do: words([...DOINGS, 'load']),
  ref: Text,
  before_sha256: Hex64,
  after_sha256: Hex64,
  effect: Type.Optional(
    closed({
      ...{ kind: words(['navigate', 'submit']), url: Type.String() },
      ...{ method: Type.Optional(Type.String()), fields: Type.Optional(Texts) },
    }),
  ),
  blocked: Type.Optional(closed({ code: words(BLOCKS), detail: Type.String() })),
  reason: Type.Optional(Type.String()),
  candidates: Type.Optional(Type.Array(closed({ ref: Type.String(), role: Type.String(), name: Type.String() }))),
})
export const ActResult = closed({
  steps: Type.Array(Step),
  blocked: Nullable(words(BLOCKS)),
  extracted: Type.Record(Type.String(), Type.String()),
  final_url: Type.String(),
  ...seen,
})
