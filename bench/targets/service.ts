// The whole service with its default settings, to be loaded at the path BENCH_PATH.
import { QUIET, serve } from './serve.ts'

const { BENCH_PATH: path = '', BENCH_GDW_QUOTAS: quotas, BENCH_LOG_LEVEL: level } = process.env
await serve(path, {
  ...QUIET,
  ...(quotas === undefined ? {} : { ORCH_GDW_QUOTAS: quotas }),
  ...(level === undefined ? {} : { ORCH_LOG_LEVEL: level }),
})
