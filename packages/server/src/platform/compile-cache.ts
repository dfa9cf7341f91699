import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** A thread gets nothing of the environment, which holds secrets, but the place of the compiled programs. */
export function onlyCompileCache(): Record<string, string> {
  const place = getCompileCacheDir()
  return place === undefined ? {} : { NODE_COMPILE_CACHE: dirname(place) }
}
