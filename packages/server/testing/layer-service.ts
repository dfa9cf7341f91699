// The service as a process, with the operations that try the layer: for tests of starting and stopping.
import { serve } from '../src/serve.ts'
import { LAYER_OPERATIONS } from './layer-operations.ts'

await serve({ extra: LAYER_OPERATIONS })
