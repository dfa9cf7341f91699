// Imported before `node:test` is loaded, for speed alone. To know in which test something was called, Node's runner follows
// every promise of the process with async hooks, which is a third of the processor time of a test with many of them
// (`npm test` tells 54 s of `stepping/simulation.test.ts` with them and 37 without this import). The same is known here from
// AsyncLocalStorage, which costs nothing per promise; `file-run.test.ts` holds what depends on it.
import asyncHooks, { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } from 'node:async_hooks'
import { createRequire, syncBuiltinESMExports } from 'node:module'

type Init = (asyncId: number, type: string, triggerAsyncId: number, resource: object) => void

const current = new AsyncLocalStorage<number>()
let onInit: Init | undefined

class FollowedResource extends AsyncResource {
  constructor(type: string) {
    super(type)
    onInit?.(this.asyncId(), type, 0, this)
  }

  override runInAsyncScope<This, Result>(
    fn: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ) {
    return super.runInAsyncScope(() => current.run(this.asyncId(), () => Reflect.apply(fn, self, args) as Result))
  }
}

const replaced = {
  AsyncResource: FollowedResource,
  createHook({ init }: { init: Init }) {
    onInit = init
    return { enable: () => undefined, disable: () => undefined }
  },
  executionAsyncId: () => current.getStore() ?? executionAsyncId(),
}
Object.assign(asyncHooks, replaced)
createRequire(import.meta.url)('node:test')
Object.assign(asyncHooks, { AsyncResource, createHook, executionAsyncId })
syncBuiltinESMExports()
