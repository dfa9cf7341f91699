import type { Apart } from '../deadline.ts'
import type { Computed, Job, RunOptions } from './job.ts'

/** Runs a job and hands the time until its function begins to `apart`: waiting for a thread, starting it and loading the
 *  module have limits of their own. */
export function runWaitingApart<Params, Result>(
  apart: Apart,
  run: Job<Params, Result>,
  params: Params,
  options: RunOptions = {},
): Promise<Computed<Result>> {
  const begun = Promise.withResolvers<void>()
  const onBegun = () => {
    begun.resolve()
    options.onBegun?.()
  }
  const running = run(params, { ...options, onBegun })
  running.then(
    () => begun.resolve(),
    () => begun.resolve(),
  )
  void apart(begun.promise)
  return running
}
