// The whole service with its default settings, to be loaded at the path BENCH_PATH.
import { QUIET, serve } from './serve.ts'

const { BENCH_PATH: path = '', BENCH_GDW_QUOTAS: quotas } = process.env
await serve(path, quotas === undefined ? QUIET : { ...QUIET, ORCH_GDW_QUOTAS: quotas })
