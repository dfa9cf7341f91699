// Operations that do what none may do, each in one way: what the fuzz finds among them it would find in the real ones.
import { once } from 'node:events'
import Type from 'typebox'
import { ServiceError } from '../../src/errors.ts'
import { openApi } from '../../src/http/openapi.ts'
import { type Operation, operation } from '../../src/operation.ts'

const common = { group: 'Operations', scope: null } as const
const Sum = Type.Object({ sum: Type.Integer() }, { additionalProperties: false })
const Amount = Type.Object(
  { amount: Type.Integer({ minimum: 0, maximum: 100 }), note: Type.Optional(Type.String({ maxLength: 20 })) },
  { additionalProperties: false },
)

const post = { ...common, method: 'POST', body: Amount, reply: Sum } as const

const FAULTY: readonly Operation[] = [
  operation({
    ...post,
    id: 'planted.throws',
    path: '/planted/throws',
    summary: 'Fails at the edge of its range',
    run({ body }) {
      if (body.amount === 100) throw new Error('one hundred')
      return { sum: body.amount }
    },
  }),
  operation({
    ...post,
    id: 'planted.leaks',
    path: '/planted/leaks',
    summary: 'Tells where it keeps its things',
    errors: ['log_empty'],
    run() {
      throw new ServiceError('log_empty', `nothing is kept in ${import.meta.dirname}`)
    },
  }),
  operation({
    ...post,
    id: 'planted.misfit',
    path: '/planted/misfit',
    summary: 'Answers something else than it says',
    run: () => ({ sum: 'many' as never }),
  }),
  operation({
    ...post,
    id: 'planted.careless',
    path: '/planted/careless',
    summary: 'Takes what it says it does not take',
    boundary: { read: () => ({ amount: 1 }), refuse: (refusal) => refusal },
    run: ({ body }) => ({ sum: body.amount }),
  }),
  operation({
    ...post,
    id: 'planted.undeclared',
    path: '/planted/undeclared',
    summary: 'Refuses with a code it does not name',
    run() {
      throw new ServiceError('session_expired', 'open another session')
    },
  }),
  operation({
    ...common,
    method: 'GET',
    reply: Sum,
    id: 'planted.hangs',
    path: '/planted/hangs',
    summary: 'Never answers',
    async run({ signal }) {
      await once(signal, 'abort')
      return { sum: 0 }
    },
  }),
  operation({
    ...post,
    id: 'planted.sound',
    path: '/planted/sound',
    summary: 'Does what it says',
    run: ({ body }) => ({ sum: body.amount }),
  }),
]

const described = operation({
  ...common,
  method: 'GET',
  root: true,
  id: 'planted.openapi',
  path: '/openapi.json',
  summary: 'The description of the planted operations',
  reply: Type.Object({}),
  run: () => openApi(FAULTY),
})

export const PLANTED: readonly Operation[] = [...FAULTY, described]
