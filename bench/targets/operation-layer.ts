// The whole operation layer with default settings, around an operation that does nothing but echo its checked body.
import { operation } from '../../packages/server/src/operation.ts'
import { Step } from '../references/shapes.ts'
import { serve } from './serve.ts'

const echo = operation({
  id: 'bench.echo',
  group: 'Operations',
  method: 'POST',
  path: '/echo',
  root: true,
  scope: null,
  summary: 'The checked body, as it came',
  body: Step,
  reply: Step,
  run: ({ body }) => body,
})

await serve('/echo', {}, { extra: [echo] })
