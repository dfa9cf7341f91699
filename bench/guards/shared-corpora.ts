// Where the public sets lie: beside the checkout, or beside the folder of its worktrees. They are never copied here.
import { existsSync } from 'node:fs'

const PLACES = ['../../../shared/corpora/', '../../../../shared/corpora/']

export const CORPORA: URL =
  PLACES.map((place) => new URL(place, import.meta.url)).find((folder) => existsSync(folder)) ??
  new URL(PLACES[0] as string, import.meta.url)
